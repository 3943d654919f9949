/** A command as the black box: its keys in a problem file, and one runner for each call. */
import { stat } from 'node:fs/promises';
import { type BoxFile, withImports } from '../../../clients/typescript/src/solve/looks.ts';
import { describe, textOf, type ValueReader } from '../files/value-reader.ts';
import type { Value } from '../files/yaml-values.ts';
import { type CommandOptions, type CommandRunner, makeCommandRunner } from '../programs/command-runner.ts';
import { EXIT_MEANINGS, type ExitMeaning } from '../programs/exit-codes.ts';
import { findFile } from '../programs/program-file.ts';
import {
  type BlackBox,
  type BlackBoxKind,
  type CallOptions,
  type Fields,
  namedFiles,
  type OpenBlackBox,
  type Surroundings,
} from './black-box.ts';
import { readSigns, SIGN_KEYS, type StatedSigns } from './output-signs.ts';

export interface CommandDefinition extends StatedSigns {
  /** The program and its arguments; with a shell the one text that it reads. */
  readonly command: readonly string[];
  readonly shell: boolean;
  /** `in.tmpl:in.dat` */
  readonly templates: readonly string[];
  /** Files and folders that every work folder gets. */
  readonly copies: readonly string[];
  /** `out.json` or `mass=out.txt:/mass = (\S+)/` */
  readonly read: readonly string[];
  /** The file with the derivatives. */
  readonly jacobian?: string;
  /** Whether each run has a folder of its own although no other key needs one; absent where it is not stated. */
  readonly workFolder?: boolean;
  /** Meaning of exit codes. */
  readonly onExit: ReadonlyMap<number, ExitMeaning>;
  readonly environment: Readonly<Record<string, string>>;
  readonly keep: 'all' | 'failed' | 'none';
}

/** Keys about how a run ends. */
export const ENDS = ['onExit', ...SIGN_KEYS] as const;

export const command: BlackBoxKind = {
  key: 'command',
  example: 'the program that evaluates an input, such as ["python3", "model.py"]',
  keys: ['command', 'shell', 'templates', 'copies', 'read', 'jacobian', 'workFolder', ...ENDS, 'environment', 'keep'],
  readsSigns: true,
  read: (reader, fields) => toBlackBox(readCommand(reader, fields)),
};

function toBlackBox(stated: CommandDefinition): BlackBox {
  const { keep: _, onExit, workFolder, ...how } = stated;
  return {
    key: 'command',
    identity: [workFolder === true ? { ...how, workFolder } : how, [...onExit], null],
    sharesFolder: workFolder === undefined && !hasOwnFolder(stated),
    record: { command: { ...stated, onExit: Object.fromEntries(onExit) }, evaluatorUrl: null },
    files: (where) => filesOfCommand(stated, where),
    open: (where) => openCommand(stated, where),
  };
}

/** Whether a key needs a work folder; the curves of fits do, too. */
function hasOwnFolder({ templates, copies, read, jacobian }: CommandDefinition): boolean {
  return templates.length + copies.length + read.length > 0 || jacobian !== undefined;
}

/** More words are no command line. */
const MOST_WORDS = 200;

/** Files of a command: the program, the files that its words name and those that these import, and the files that work folders get. */
export async function filesOfCommand(
  { command: line, shell, copies, templates }: CommandDefinition,
  where: Surroundings,
): Promise<readonly BoxFile[]> {
  const words = (shell ? line.flatMap((text) => text.split(/[\s"'`;|&<>(){}$]+/)) : line)
    .flatMap((word) => (word.includes('=') ? [word, ...word.split('=')] : [word]))
    .slice(0, MOST_WORDS);
  const named = namedFiles([...new Set(words)], where).map((file) => ({ ...file, isWord: true }));
  const files: BoxFile[] = [];
  for (const file of named) if (await isFile(file.path)) files.push(...(await withImports(file, where.home)));
  const [program = ''] = line;
  const found = shell
    ? undefined
    : await findFile(program, where.home, where.environment, process.platform).catch(() => undefined);
  if (found !== undefined) files.unshift({ path: found, name: program });
  const sources = templates.map((template) => template.slice(0, Math.max(0, template.lastIndexOf(':'))));
  return [...files, ...namedFiles([...copies, ...sources], where)];
}

async function isFile(name: string): Promise<boolean> {
  return (await stat(name).catch(() => undefined))?.isFile() === true;
}

/** Options that a kind called by a command has beyond the keys of a command. */
type Own = Pick<CommandOptions, 'files' | 'reader' | 'told'>;

/** @param ownOf  for each call */
export function openCommand(
  stated: CommandDefinition,
  where: Surroundings,
  ownOf: (options: CallOptions) => Own = () => ({}),
): OpenBlackBox {
  const runners: CommandRunner[] = [];
  return {
    call: async (options) => {
      const runner = await makeCommandRunner({ ...toOptions(stated, options, where), ...ownOf(options) });
      runners.push(runner);
      runner.check(options.names);
      if (where.onAdvice !== undefined) runner.tryWriting(options.trials ?? []).forEach(where.onAdvice);
      return runner.evaluate;
    },
    close: async () => {
      for (const runner of runners) runner.close();
    },
  };
}

function toOptions(
  stated: CommandDefinition,
  { fits, curves, isWhole, names, otherOutputs }: CallOptions,
  where: Surroundings,
) {
  const { command: line, shell, templates, copies, jacobian, workFolder, onExit, keep } = stated;
  const isOfCall = (rule: string) => !rule.includes('=') || names.outputs.includes(rule.split('=')[0]!.trim());
  return {
    command: line,
    shell,
    startFolder: where.home,
    workFolder: where.workFolder,
    templates,
    copies,
    reads: isWhole ? stated.read : stated.read.filter(isOfCall),
    jacobian,
    inWorkFolder: workFolder,
    fits,
    curves,
    failsIf: stated.failsIf,
    succeedsIf: stated.succeedsIf,
    otherOutputs,
    onExit: [...onExit].map(([code, meaning]) => `${code}=${meaning}`).join(','),
    keep,
    environment: { ...where.environment, ...stated.environment },
    onNote: where.onNote,
  };
}

export function readCommand(reader: ValueReader, fields: Fields): CommandDefinition {
  const keep = fields.get('keep');
  const shell = fields.has('shell') && reader.boolean(fields.get('shell')!, ['shell']) === true;
  return {
    command: readCommandLine(reader, fields.get('command'), shell),
    shell,
    templates: reader.texts(fields.get('templates'), ['templates']),
    copies: reader.texts(fields.get('copies'), ['copies']),
    read: reader.texts(fields.get('read'), ['read']),
    ...readJacobianFile(reader, fields.get('jacobian')),
    ...(fields.has('workFolder') && { workFolder: reader.boolean(fields.get('workFolder')!, ['workFolder']) === true }),
    ...readSigns(reader, fields),
    onExit: readOnExit(reader, fields.get('onExit')),
    environment: readEnvironment(reader, fields.get('environment')),
    keep: (keep && reader.word(keep, ['keep'], ['all', 'failed', 'none'])) ?? 'failed',
  };
}

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

function readJacobianFile(reader: ValueReader, value: Value | undefined): Pick<CommandDefinition, 'jacobian'> {
  const stated = value && reader.fields(value, ['jacobian'], ['file']);
  if (stated === undefined) return {};
  const file = stated.get('file');
  if (file === undefined)
    reader.refuse(value!.at, ['jacobian', 'file'], 'is required: the file that the command leaves.');
  const name = file && reader.text(file, ['jacobian', 'file']);
  return name === undefined ? {} : { jacobian: name };
}

function readOnExit(reader: ValueReader, value: Value | undefined): ReadonlyMap<number, ExitMeaning> {
  const meanings = new Map<number, ExitMeaning>();
  const entries =
    value && reader.entries(value, ['onExit'], 'a map from exit codes to output, fail, retry, abort or fault');
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
