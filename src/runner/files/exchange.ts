/** Formats and reads the exchange between a program and the runner: inputs in the environment and on standard input, outputs as text. */
import type { Evaluation } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { CurveError } from '../../../clients/typescript/src/solve/curve.ts';
import { type Fit, pointNames, readCurve } from '../../../clients/typescript/src/solve/fit.ts';
import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import { parseJson } from './json-text.ts';
import { ReadingError } from './reading-error.ts';
import type { InputValues } from './template.ts';

/** Result of reading a program's output. */
export type Reading =
  | { readonly kind: 'output'; readonly output: readonly number[]; readonly jacobian?: unknown }
  /** The program says that the run has failed, or a number is not finite. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The output is missing, cut off or malformed: another try may do better. `others`: names that it has instead. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly others?: readonly string[] };

/** The outputs of a command in their order, and those among them that are fitted. */
export interface Expected {
  readonly names: readonly string[];
  readonly fits?: ReadonlyMap<string, Fit> | undefined;
  /** That they belong to. */
  readonly input?: InputValues | undefined;
}

/** A name as a document has it, with its value there. */
type Named = Readonly<Record<string, unknown>>;

/** The evaluation as a command gets it: each fit is one output. */
export function withFits(evaluation: Evaluation, fits: ReadonlyMap<string, Fit>): Evaluation {
  if (fits.size === 0) return evaluation;
  const fitOf = new Map([...fits].flatMap(([name, fit]) => pointNames(name, fit).map((point) => [point, name])));
  const outputNames = [...new Set(evaluation.outputNames.map((name) => fitOf.get(name) ?? name))];
  return { ...evaluation, outputNames, outputCount: outputNames.length };
}

/** The text for standard input: the evaluation on one line. The lease token is a secret like the key, so it goes with it. */
export function writeMessage(evaluation: Evaluation, withToken: boolean): string {
  const { leaseToken, ...rest } = evaluation;
  return `${JSON.stringify(withToken ? evaluation : rest)}\n`;
}

const PREFIX = 'BACKSOLVE_INPUT_';

/**
 * BACKSOLVE_INPUT_LENGTH for the input "length": letters and digits in upper case, everything else one underscore. Inputs whose
 * names become the same variable have none.
 */
export function writeEnvironment(evaluation: Evaluation): Record<string, string> {
  const variables = Object.entries(evaluation.inputByName).map(([name, value]) => [variableOf(name), String(value)]);
  const counts = Map.groupBy(variables, ([variable]) => variable);
  const unique = variables.filter(([variable]) => variable !== PREFIX && counts.get(variable)!.length === 1);
  return {
    BACKSOLVE_EVALUATION_ID: String(evaluation.id),
    BACKSOLVE_TRY: String(evaluation.try),
    BACKSOLVE_BATCH_ID: String(evaluation.batchId),
    ...Object.fromEntries(unique),
  };
}

function variableOf(name: string): string {
  return `${PREFIX}${name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;
}

/** The reason if the line begins with the word `fail`, or `failed`, in any case, and does not count failures that there are none of. */
export function readFailWord(line: string | undefined): string | undefined {
  const match = /^\s*fail(?:ed)?\b[\s:]*(.*)$/i.exec(line ?? '');
  if (match === null || NO_FAILURES.test(line!)) return undefined;
  return match[1]!.trim() || 'the program says that the run failed';
}

/** `Failed elements: 0`, `FAILED ..... 0 of 1200 (0.0 %)`, but not `failed at t = 0`. */
const NO_FAILURES =
  /^\s*failed(?:\s+(?!(?:after|at|because|by|for|in|on|to|when|while|with)\b)[^\d:=-]*?)?[\s:=.]+0(?:\.0*)?(?:\s*%|\s*(?:\/|of|out of)\s*\d+)?(?:\s*\(.*\))?\s*$/i;

/**
 * Reads outputs in JSON: a list in the order of `names`, an object by name, either of them under "output" or "outputs", a single
 * number where there is one output, or {"failed": true, "reason": "..."}. `origin` names the text in reasons.
 */
export function readDocument(text: string, expected: Expected, origin: string): Reading {
  let document: ReturnType<typeof parseJson>;
  try {
    document = parseJson(text);
  } catch (error) {
    if (!(error instanceof ReadingError)) throw error;
    return { kind: 'unreadable', reason: `${origin}: ${error.message}` };
  }
  if (document === undefined) {
    return { kind: 'unreadable', reason: `${origin} is not JSON: ${JSON.stringify(shorten(text))}` };
  }
  const reading = readValue(document.value, expected, origin);
  if (reading.kind !== 'unreadable' || !document.isLenient) return reading;
  return { kind: 'failed', reason: `${origin} has a number that is not finite` };
}

function readValue(value: unknown, expected: Expected, origin: string): Reading {
  const { names, fits } = expected;
  const isCurve = names.length === 1 && fits?.has(names[0]!) === true;
  if (names.length === 1 && (typeof value === 'number' || (isCurve && Array.isArray(value)))) {
    return toOutput([value], expected, origin);
  }
  if (Array.isArray(value)) return readList(value, expected, origin);
  if (typeof value !== 'object' || value === null) {
    return { kind: 'unreadable', reason: `${origin} has neither a list nor an object: ${shorten(String(value))}` };
  }
  const fields = value as Named;
  if (fields['failed'] === true) {
    return { kind: 'failed', reason: String(fields['reason'] ?? 'the program says that the run failed') };
  }
  const isNamed = names.every((name) => outputIn(fields, name) !== undefined);
  const inner = isNamed ? undefined : (fields['output'] ?? fields['outputs']);
  if (inner !== undefined) {
    const reading = readValue(typeof inner === 'number' ? [inner] : inner, expected, origin);
    return withJacobian(reading, fields, expected, origin);
  }
  const missing = names.filter((name) => outputIn(fields, name) === undefined);
  if (missing.length > 0) return lacking(missing, fields, expected, origin);
  const reading = toOutput(
    names.map((name) => outputIn(fields, name)),
    expected,
    origin,
  );
  return withJacobian(reading, fields, expected, origin);
}

/** Numbers under names that nothing else has are outputs, under another name than in the problem. */
function lacking(missing: readonly string[], fields: Named, { names, input = {} }: Expected, origin: string): Reading {
  const others = Object.keys(fields).filter(
    (name) => !names.includes(name) && !Object.hasOwn(input, name) && typeof fields[name] === 'number',
  );
  const reason = `${origin} lacks the output ${missing.join(', ')}`;
  if (others.length === 0) return { kind: 'unreadable', reason };
  return { kind: 'unreadable', reason: `${reason}, and has ${shorten(others.join(', '))}`, others };
}

/** The derivatives beside the outputs, under "jacobian". */
function withJacobian(reading: Reading, { jacobian }: Named, { names }: Expected, origin: string): Reading {
  if (reading.kind !== 'output' || jacobian == null || names.includes('jacobian')) return reading;
  if (typeof jacobian === 'object') return { ...reading, jacobian };
  return {
    kind: 'unreadable',
    reason: `${origin} has a jacobian that is neither a list of rows nor an object by name`,
  };
}

/** The array that an output is a value of, and its place in it: of "level[3]" level and 3; undefined for other names. */
export function placeInArray(name: string): { readonly array: string; readonly at: number } | undefined {
  const match = /^(.+)\[(\d+)\]$/.exec(name);
  return match === null ? undefined : { array: match[1]!, at: Number(match[2]) };
}

/** One name per value of an output, as toOutput puts them. */
export function valueNames({ names, fits }: Expected): readonly string[] {
  return names.flatMap((name) => {
    const fit = fits?.get(name);
    return fit === undefined ? [name] : fit.positions.map((position) => `${name}[${position}]`);
  });
}

/** By its name or, of a fit whose data are not known here, in the array of all its points; undefined where it is missing. */
function outputIn(fields: Named, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name] ?? null;
  const place = placeInArray(name);
  const array = place && fields[place.array];
  return Array.isArray(array) ? array[place!.at] : undefined;
}

function readList(values: readonly unknown[], expected: Expected, origin: string): Reading {
  const { names } = expected;
  if (values.length === names.length) return toOutput(values, expected, origin);
  const reason = `${origin} has ${values.length} numbers, but there are ${names.length} outputs: ${names.join(', ')}`;
  return { kind: 'unreadable', reason };
}

/** Numbers, or texts of numbers, in the order of the names; of a fit its curve at the points of the data. */
export function toOutput(values: readonly unknown[], { names, fits }: Expected, origin: string): Reading {
  const output: number[] = [];
  const valueName = valueNames({ names, fits });
  for (const [i, given] of values.entries()) {
    const fit = fits?.get(names[i]!);
    const points = fit === undefined ? [given] : pointsOf(names[i]!, fit, given);
    if (points instanceof CurveError) return { kind: 'unreadable', reason: `${origin}: ${points.message}` };
    for (const point of points) {
      const name = valueName[output.length];
      const value = toNumber(point);
      if (typeof value !== 'number') {
        const reason = `${origin}: ${name} is not a number: ${shorten(JSON.stringify(point))}`;
        return { kind: 'unreadable', reason };
      }
      if (!Number.isFinite(value)) return { kind: 'failed', reason: `${origin}: ${name} is not finite` };
      output.push(value);
    }
  }
  return { kind: 'output', output };
}

function pointsOf(name: string, fit: Fit, given: unknown): readonly unknown[] | CurveError {
  try {
    return readCurve(name, fit, given, (one) => toNumber(one) ?? one);
  } catch (error) {
    if (error instanceof CurveError) return error;
    throw error;
  }
}

/** A number, or the text of one, as a number; JavaScript and others write null for what is not finite. */
export function toNumber(given: unknown): unknown {
  return typeof given === 'string' ? readNumber(given) : (given ?? Number.NaN);
}

export function shorten(text: string, length = 120): string {
  return text.length <= length ? text : `${text.slice(0, length)}...`;
}
