/**
 * Outputs in files that a program leaves in its work folder. A rule is `out.json`, a JSON file with all outputs, a list or an object by name;
 * or the name of an output and its place in a file, `mass=out.txt:/mass = (\S+)/`, as read-rule.ts has them.
 */
import path from 'node:path';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { readColumns, type TableLayout } from '../../../clients/typescript/src/solve/table.ts';
import { type Expected, placeInArray, type Reading, readDocument, shorten, toOutput } from './exchange.ts';
import { readRegularFile } from './read-file.ts';
import { checkFile, findAt, type Place, parsePlace } from './read-rule.ts';

interface Rule extends Place {
  /** Undefined: the file has all outputs. */
  readonly name: string | undefined;
  /** As given, for messages. */
  readonly text: string;
}

export interface OutputReader {
  /** Throws LocalFault unless every output has its rule and every rule its output. */
  check(names: readonly string[]): void;
  /** Files that must not be there when the command begins, so that no old one is read. */
  readonly removes?: readonly string[];
  read(folder: string, expected: Expected): Promise<Reading>;
}

/** Columns of a CSV file that are the curve of an output; x is null for the points of its data. */
export interface CurvePlace {
  readonly name: string;
  readonly csv: string;
  readonly x: string | null;
  readonly y: string;
  /** Layout of its titles and rows. */
  readonly layout?: TableLayout;
}

/** Throws LocalFault naming the rule that is wrong. */
export function makeOutputReader(texts: readonly string[], curves: readonly CurvePlace[] = []): OutputReader {
  const rules = [...texts.map(parseRule), ...curves.map(ruleOfCurve)];
  const whole = rules.find(({ name }) => name === undefined);
  if (whole !== undefined && rules.length > 1) {
    throw new LocalFault(`--read ${whole.text} reads all outputs; leave the other rules out, or give it an output.`);
  }
  const twice = rules.find(({ name }, i) => rules.findIndex((rule) => rule.name === name) !== i);
  if (twice !== undefined) throw new LocalFault(`--read ${twice.text}: "${twice.name}" has a rule already.`);
  return {
    removes: rules.map(({ file }) => file),
    check(names) {
      if (whole !== undefined) return;
      const arrays = names.map((name) => placeInArray(name)?.array);
      const unknown = rules.find(({ name }) => !names.includes(name!) && !arrays.includes(name!));
      if (unknown !== undefined) {
        const fault = `there is no output "${unknown.name}"; the outputs are ${names.join(', ')}.`;
        throw new LocalFault(`--read ${unknown.text}: ${fault}`);
      }
      const missing = names.filter((name) => ruleOf(rules, name) === undefined);
      if (missing.length > 0) throw new LocalFault(`No --read says where to find the output ${missing.join(', ')}.`);
    },

    async read(folder, expected) {
      const { names, fits } = expected;
      const texts = new Map<string, string>();
      for (const { file } of rules) {
        if (texts.has(file)) continue;
        const text = await readRegularFile(path.join(folder, file)).then(
          (bytes) => bytes.toString('utf8'),
          (error: NodeJS.ErrnoException) => error,
        );
        if (text instanceof Error) return { kind: 'unreadable', reason: `${file}: ${whatIsWrong(text)}` };
        texts.set(file, text);
      }
      if (whole !== undefined) return readDocument(texts.get(whole.file)!, expected, whole.file);
      const output: number[] = [];
      for (const name of names) {
        const rule = ruleOf(rules, name)!;
        const found = findAt(rule, texts.get(rule.file)!);
        if (found instanceof Error) return { kind: 'unreadable', reason: `${rule.text}: ${found.message}` };
        const value = partOf(found, name, rule);
        if (value === undefined) return { kind: 'unreadable', reason: `${rule.text}: nothing was found` };
        const reading = toOutput([value], { names: [name], fits }, rule.file);
        if (reading.kind !== 'output') return reading;
        output.push(...reading.output);
      }
      return { kind: 'output', output };
    },
  };
}

/** Rule of an output, or of the array that its value is from. */
function ruleOf(rules: readonly Rule[], name: string): Rule | undefined {
  return rules.find((one) => one.name === name) ?? rules.find((one) => one.name === placeInArray(name)?.array);
}

function partOf(found: unknown, name: string, rule: Rule): unknown {
  if (rule.name === name) return found;
  return Array.isArray(found) ? found[placeInArray(name)!.at] : undefined;
}

function parseRule(text: string): Rule {
  const origin = `--read ${text}`;
  const equals = text.indexOf('=');
  if (equals < 0)
    return { name: undefined, file: checkFile(text, origin), find: (content) => content, part: 'all', text };
  const name = text.slice(0, equals).trim();
  if (name === '') throw new LocalFault(`${origin}: the name of the output is missing before "=".`);
  return { name, ...parsePlace(text.slice(equals + 1).trim(), origin), text };
}

function ruleOfCurve({ name, csv, x, y, layout }: CurvePlace): Rule {
  const text = `${name}: ${csv}, ${x === null ? `column ${y}` : `columns ${x} and ${y}`}`;
  const find = (content: string) => {
    const { rows, places } = readColumns(content, x === null ? [y] : [x, y], layout);
    const column = (at: number) => rows.map(({ cells }) => cells[at] || null);
    return x === null ? column(places[0]!) : { x: column(places[0]!), y: column(places[1]!) };
  };
  return { name, file: checkFile(csv, `--read ${text}`), find, part: 'all', text };
}

export function whatIsWrong(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'the command left no such file' : shorten(error.message);
}
