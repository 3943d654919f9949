/**
 * Signs of failed runs for programs that end as if all were well. A sign is one of
 *
 *   stderr.log:/aborted/             a text in a file
 *   tt=-1                            an output, or any value of an array, by its name; =, !=, <, <=, > or >= and a number
 *   out.json#/status/code != 0       a value at a place as read-rule.ts has them
 *
 * `failsIf` has those of failures, `succeedsIf` those that no good run lacks.
 */
import path from 'node:path';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { placeInArray, type Reading, shorten, toNumber } from '../files/exchange.ts';
import { findLines } from '../files/find-pattern.ts';
import { readRegularFile } from '../files/read-file.ts';
import { checkFile, findAt, type Place, parsePlace } from '../files/read-rule.ts';

/** Result of a run without an output. */
type Trouble = Exclude<Reading, { readonly kind: 'output' }>;

export interface Signs {
  /** That are looked into. */
  readonly files: readonly string[];
  /** Throws LocalFault where a sign is in a file, for black boxes that have outputs alone. */
  refuseFiles(): void;
  /** Throws LocalFault where a sign compares an output that there is not. */
  check(outputs: readonly string[]): void;
  /** Undefined where the files tell of no failure. */
  inFiles(folder: string): Promise<Trouble | undefined>;
  /** The same for outputs. @param names  one per value, such as `level[3]` for a value of an array */
  inOutputs(names: readonly string[], output: readonly number[]): Trouble | undefined;
}

interface Sign {
  readonly text: string;
  /** That states it, for messages. */
  readonly flag: string;
  /** Whether it must be there. */
  readonly isWanted: boolean;
  /** Name of an output; absent for a place in a file. */
  readonly name?: string;
  readonly place?: Place;
  /** Absent for a text that is found or not. */
  readonly comparison?: Comparison;
}

interface Comparison {
  readonly isTrue: (value: number) => boolean;
  readonly text: string;
}

/** Throws LocalFault naming the sign that is wrong. */
export function makeSigns(failsIf: readonly string[], succeedsIf: readonly string[]): Signs {
  const signs = [
    ...failsIf.map((text) => parseSign(text, '--fails-if', false)),
    ...succeedsIf.map((text) => parseSign(text, '--succeeds-if', true)),
  ];
  return {
    files: [...new Set(signs.flatMap(({ place }) => place?.file ?? []))],
    refuseFiles() {
      const sign = signs.find(({ place }) => place !== undefined);
      if (sign === undefined) return;
      throw new LocalFault(
        `${sign.flag} ${sign.place!.file}: only a command has files; compare an output, such as mass=-1.`,
      );
    },
    check(outputs) {
      for (const { name, text, flag } of signs) {
        if (name === undefined || outputs.some((output) => isOf(name, output))) continue;
        throw new LocalFault(`${flag} ${text}: there is no output "${name}"; the outputs are ${outputs.join(', ')}.`);
      }
    },
    async inFiles(folder) {
      for (const sign of signs) {
        const trouble = sign.place && (await troubleAt(sign, sign.place, folder));
        if (trouble !== undefined) return trouble;
      }
      return undefined;
    },
    inOutputs(names, output) {
      for (const { name, comparison, isWanted } of signs) {
        if (name === undefined) continue;
        const at = output.findIndex((value, i) => isOf(name, names[i]!) && comparison!.isTrue(value) !== isWanted);
        if (at < 0) continue;
        const reason = isWanted
          ? `${names[at]} = ${output[at]}, not ${comparison!.text}`
          : `${names[at]} = ${output[at]}`;
        return { kind: 'failed', reason };
      }
      return undefined;
    },
  };
}

/** Whether an output is what the name names, or a value of that array. */
function isOf(name: string, output: string): boolean {
  return output === name || placeInArray(output)?.array === name;
}

const COMPARED = /^(.*?)\s*(<=|>=|!=|=|<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*$/s;
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function parseSign(text: string, flag: string, isWanted: boolean): Sign {
  const origin = `${flag} ${text}`;
  const compared = COMPARED.exec(text);
  if (compared === null) {
    const [, file, pattern, flags] = /^(.+?):\s*\/(.*)\/(\w*)\s*$/s.exec(text) ?? [];
    if (file === undefined) {
      throw new LocalFault(`${origin}: write FILE:/PATTERN/ or compare an output with a number, such as tt=-1.`);
    }
    const find = findLines(pattern!, flags!, origin);
    return { text, flag, isWanted, place: { file: checkFile(file, origin), find, part: 'any' } };
  }
  const [, subject, operator, number] = compared;
  const isTrue = (value: number) => COMPARISONS[operator!]!(value, Number(number));
  const comparison = { isTrue, text: `${operator} ${number}` };
  if (subject === '') throw new LocalFault(`${origin}: the name of the output is missing.`);
  if (!/[:#]/.test(subject!)) return { text, flag, isWanted, name: subject!, comparison };
  return { text, flag, isWanted, place: parsePlace(subject!, origin), comparison };
}

async function troubleAt(
  { text, isWanted, comparison }: Sign,
  place: Place,
  folder: string,
): Promise<Trouble | undefined> {
  const bytes = await readRegularFile(path.join(folder, place.file)).catch((error: NodeJS.ErrnoException) => error);
  const isMissing = bytes instanceof Error && bytes.code === 'ENOENT';
  if (bytes instanceof Error && !isMissing) return unreadable(place.file, bytes.message);
  const found = bytes instanceof Error ? undefined : findAt(place, bytes.toString('utf8'));
  if (found instanceof Error) return unreadable(text, found.message);
  const absent = isMissing ? 'the command left no such file' : 'nothing was found';
  if (comparison === undefined) {
    if (isWanted) return found === undefined ? failed(`${text}: ${absent}`) : undefined;
    return found === undefined ? undefined : failed(`${place.file}: ${found}`);
  }
  if (found === undefined) return isWanted ? failed(`${text}: ${absent}`) : unreadable(text, absent);
  const value = toNumber(found);
  if (typeof value !== 'number') return unreadable(text, `is not a number: ${shorten(JSON.stringify(found))}`);
  if (!Number.isFinite(value)) return failed(`${text}: it is not finite`);
  return comparison.isTrue(value) === isWanted ? undefined : failed(`${text}: it is ${found}`);
}

function failed(reason: string): Trouble {
  return { kind: 'failed', reason };
}

function unreadable(what: string, message: string): Trouble {
  return { kind: 'unreadable', reason: `${what}: ${message}` };
}
