/** What a program and the runner tell each other: inputs in the environment and on standard input, outputs as text. */
import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';

/** What a program's output says. */
export type Reading =
  | { readonly kind: 'output'; readonly output: readonly number[] }
  /** The program says that the run has failed, or a number is not finite. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The output is missing, cut off or malformed: another try may do better. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** A name as a document has it, with its value there. */
type Named = Readonly<Record<string, unknown>>;

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

/** The reason if the line begins with the word `fail`, or `failed`, in any case. */
export function readFailWord(line: string | undefined): string | undefined {
  const match = /^\s*fail(?:ed)?\b[\s:]*(.*)$/i.exec(line ?? '');
  return match === null ? undefined : match[1]!.trim() || 'the program says that the run failed';
}

/**
 * Reads outputs in JSON: a list in the order of `names`, an object by name, either of them under "output" or "outputs", a single
 * number where there is one output, or {"failed": true, "reason": "..."}. `origin` names the text in reasons.
 */
export function readDocument(text: string, names: readonly string[], origin: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Many programs write numbers that JSON does not have.
    const lenient = parseOrUndefined(text.replace(/-?\b(?:nan|inf|infinity)\b/gi, 'null'));
    if (lenient !== undefined) return { kind: 'failed', reason: `${origin} has a number that is not finite` };
    return { kind: 'unreadable', reason: `${origin} is not JSON: ${JSON.stringify(shorten(text))}` };
  }
  return readValue(value, names, origin);
}

function readValue(value: unknown, names: readonly string[], origin: string): Reading {
  if (typeof value === 'number' && names.length === 1) return toOutput([value], names, origin);
  if (Array.isArray(value)) return readList(value, names, origin);
  if (typeof value !== 'object' || value === null) {
    return { kind: 'unreadable', reason: `${origin} has neither a list nor an object: ${shorten(String(value))}` };
  }
  const fields = value as Named;
  if (fields['failed'] === true) {
    return { kind: 'failed', reason: String(fields['reason'] ?? 'the program says that the run failed') };
  }
  const isNamed = names.every((name) => Object.hasOwn(fields, name));
  const inner = isNamed ? undefined : (fields['output'] ?? fields['outputs']);
  if (inner !== undefined) return readValue(typeof inner === 'number' ? [inner] : inner, names, origin);
  const missing = names.filter((name) => !Object.hasOwn(fields, name));
  if (missing.length > 0) return { kind: 'unreadable', reason: `${origin} lacks the output ${missing.join(', ')}` };
  return toOutput(
    names.map((name) => fields[name]),
    names,
    origin,
  );
}

function readList(values: readonly unknown[], names: readonly string[], origin: string): Reading {
  if (values.length === names.length) return toOutput(values, names, origin);
  const reason = `${origin} has ${values.length} numbers, but there are ${names.length} outputs: ${names.join(', ')}`;
  return { kind: 'unreadable', reason };
}

/** Numbers, or texts of numbers, in the order of `names`. */
export function toOutput(values: readonly unknown[], names: readonly string[], origin: string): Reading {
  const output: number[] = [];
  for (const [i, given] of values.entries()) {
    // JavaScript and others write null for what is not finite.
    const value = typeof given === 'string' ? readNumber(given) : (given ?? Number.NaN);
    if (typeof value !== 'number') {
      return {
        kind: 'unreadable',
        reason: `${origin}: ${names[i]} is not a number: ${shorten(JSON.stringify(given))}`,
      };
    }
    if (!Number.isFinite(value)) return { kind: 'failed', reason: `${origin}: ${names[i]} is not finite` };
    output.push(value);
  }
  return { kind: 'output', output };
}

/** Also with the exponent letter D of Fortran, and the ways to write what is not finite. Undefined if it is none of them. */
function readNumber(given: string): number | undefined {
  const text = given.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?$/.test(text)) return Number(text.replace(/[dD]/, 'e'));
  if (/^[+-]?(nan(\(\w*\))?|inf|infinity|\*+|1\.#(inf|ind|qnan)\d*)$/i.test(text)) return Number.NaN;
  return undefined;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function shorten(text: string, length = 120): string {
  return text.length <= length ? text : `${text.slice(0, length)}...`;
}
