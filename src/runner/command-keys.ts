/** The keys of a problem file that say how an input is evaluated: by a command, or at an address. */
import type { ExitMeaning } from './exit-codes.ts';
import type { CommandDefinition } from './problem.ts';
import { urlFault } from './url-runner.ts';
import { describe, textOf, type ValueReader } from './value-reader.ts';
import type { Value } from './yaml-values.ts';

const EXIT_MEANINGS: readonly ExitMeaning[] = ['output', 'fail', 'retry', 'abort'];

export function readCommand(reader: ValueReader, fields: ReadonlyMap<string, Value>): CommandDefinition {
  const keep = fields.get('keep');
  const shell = fields.has('shell') && reader.boolean(fields.get('shell')!, ['shell']) === true;
  return {
    command: readCommandLine(reader, fields.get('command'), shell),
    shell,
    templates: reader.texts(fields.get('templates'), ['templates']),
    copies: reader.texts(fields.get('copies'), ['copies']),
    read: reader.texts(fields.get('read'), ['read']),
    onExit: readOnExit(reader, fields.get('onExit')),
    environment: readEnvironment(reader, fields.get('environment')),
    keep: (keep && reader.word(keep, ['keep'], ['all', 'failed', 'none'])) ?? 'failed',
  };
}

/** `{url: http://localhost:9000/run}` instead of a command and all that says how to call one. */
export function readEvaluator(reader: ValueReader, fields: ReadonlyMap<string, Value>): string | null {
  const value = fields.get('evaluator');
  if (value === undefined) return null;
  for (const key of OF_COMMANDS) {
    if (fields.has(key))
      reader.refuse(reader.positionOf([key]), [key], 'cannot be stated beside evaluator; leave one of them out.');
  }
  const url = reader.fields(value, ['evaluator'], ['url'])?.get('url');
  if (url === undefined)
    return reader.refuse(value.at, ['evaluator', 'url'], 'is required: the address to call.') ?? null;
  const text = reader.text(url, ['evaluator', 'url']);
  const fault = text === undefined ? undefined : urlFault(text);
  if (fault !== undefined) reader.refuse(url.at, ['evaluator', 'url'], fault);
  return text ?? null;
}

const OF_COMMANDS = ['command', 'shell', 'templates', 'copies', 'read', 'onExit', 'environment', 'keep'];

function readCommandLine(reader: ValueReader, value: Value | undefined, shell: boolean): readonly string[] {
  if (value === undefined) return [];
  const path = ['command'];
  if (value.kind === 'text') {
    if (shell) return [value.text];
    const words = value.text
      .trim()
      .split(/\s+/)
      .map((word) => JSON.stringify(word));
    reader.refuse(value.at, path, `must be a list, [${words.join(', ')}], or text beside "shell: true".`);
    return [];
  }
  const items = reader.list(value, path, 'a list of the program and its arguments');
  if (items === undefined) return [];
  if (shell) reader.refuse(value.at, path, 'must be one text beside "shell: true".');
  if (items.length === 0) reader.refuse(value.at, path, 'must name a program.');
  return items.map((item, i) => {
    if (item.kind === 'text') return item.text; // an argument may be empty
    return reader.text(item, [...path, String(i + 1)]) ?? '';
  });
}

function readOnExit(reader: ValueReader, value: Value | undefined): ReadonlyMap<number, ExitMeaning> {
  const meanings = new Map<number, ExitMeaning>();
  const entries = value && reader.entries(value, ['onExit'], 'a map from exit codes to output, fail, retry or abort');
  for (const [key, entry] of entries ?? []) {
    const path = ['onExit', key];
    const code = /^\d{1,3}$/.test(key) ? Number(key) : 256;
    if (code > 255) reader.refuse(entry.keyAt, path, 'must be an exit code from 0 to 255.');
    const meaning = reader.word(entry.value, path, EXIT_MEANINGS);
    if (meaning !== undefined) meanings.set(code, meaning);
  }
  return meanings;
}

function readEnvironment(reader: ValueReader, value: Value | undefined): Readonly<Record<string, string>> {
  const environment: Record<string, string> = Object.create(null);
  const entries = value && reader.entries(value, ['environment'], 'a map from names to texts');
  for (const [name, entry] of entries ?? []) {
    const path = ['environment', name];
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      reader.refuse(entry.keyAt, path, 'must consist of letters, digits and _, and not begin with a digit.');
    }
    const text = textOf(entry.value);
    if (text === undefined) reader.refuse(entry.value.at, path, `must be text, is ${describe(entry.value)}.`);
    else environment[name] = text;
  }
  return environment;
}
