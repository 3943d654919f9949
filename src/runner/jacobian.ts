/** Derivatives that a black box gives beside its outputs: read from a file, put in order and checked before the service hears of them. */
import { type Evaluate, LocalFault, type Outcome } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { type JacobianRows, readJacobian } from '../../clients/typescript/src/solve/derivatives.ts';
import type { Fit } from '../../clients/typescript/src/solve/fit.ts';
import type { Goals } from '../../clients/typescript/src/solve/goals.ts';
import type { Inputs } from '../../clients/typescript/src/solve/inputs.ts';
import { readNumber } from './exchange.ts';
import type { InputDefinition } from './problem.ts';

/** What the derivatives are of: outputs as the black box knows them, a fit being one. */
export interface JacobianShape {
  readonly inputs: readonly Pick<InputDefinition, 'name' | 'type'>[];
  readonly outputs: readonly string[];
  readonly fits: ReadonlyMap<string, Fit>;
}

/** The derivatives as one row per output, and per point of a fit. A wrong shape is wrong in every run: it throws LocalFault. */
export function withRows(evaluate: Evaluate, { inputs, outputs, fits }: JacobianShape): Evaluate {
  const named = Object.fromEntries(inputs.map(({ name, type }) => [name, { type }])) as unknown as Inputs;
  const goals = Object.fromEntries(outputs.map((name) => [name, fits.get(name) ?? {}])) as unknown as Goals;
  return async (evaluation, signal) => {
    const outcome = await evaluate(evaluation, signal);
    if (outcome.kind !== 'output' || outcome.jacobian == null) return outcome;
    return { ...outcome, jacobian: toRows(named, goals, outcome) };
  };
}

function toRows(inputs: Inputs, goals: Goals, { jacobian }: Extract<Outcome, { kind: 'output' }>): JacobianRows {
  try {
    return readJacobian(inputs, goals, jacobian);
  } catch (error) {
    if (error instanceof TypeError) throw new LocalFault(`The derivatives cannot be used. ${error.message}`);
    throw error;
  }
}

/**
 * JSON as under the field "jacobian", or a matrix with spaces, tabs, commas or semicolons between its numbers: a row per output with a number
 * per input. A row above may name the inputs, and the first cell of each row its output. Undefined if it is neither.
 */
export function parseJacobian(text: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text.replace(NO_NUMBER, 'null'));
    } catch {
      return undefined;
    }
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !COMMENT.test(line));
  const table = lines.map(cellsOf);
  const [first = []] = table;
  const isHeader = first.length > 0 && first.slice(1).every(isName) && (first.length > 1 || isName(first[0]!));
  const titles = isHeader ? first : null;
  const body = isHeader ? table.slice(1) : table;
  const hasNames = body.length > 0 && body.every(([label]) => label !== undefined && isName(label));
  const rows = body.map((cells) => (hasNames ? cells.slice(1) : cells).map(numberOf));
  if (rows.length === 0 || rows.some((row) => row.includes(undefined))) return undefined;
  const inputs = titles?.slice(titles.length - rows[0]!.length);
  const isEven = inputs === undefined || rows.every((row) => row.length === inputs.length);
  if (!isEven) return undefined;
  const named =
    inputs === undefined ? rows : rows.map((row) => Object.fromEntries(row.map((one, v) => [inputs[v]!, one])));
  if (!hasNames) return named;
  const byOutput = Map.groupBy(named, (_, k) => body[k]![0]!);
  return Object.fromEntries([...byOutput].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

const COMMENT = /^\s*[#%]/;
const NO_NUMBER = /-?\b(?:nan|inf|infinity)\b/gi;

/** Between commas or semicolons a cell may be empty. */
function cellsOf(line: string): readonly string[] {
  const separator = [';', ',', '\t'].find((one) => line.includes(one));
  const cells = separator === undefined ? line.trim().split(/\s+/) : line.split(separator);
  return cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/** Of a row above, the corner may be empty. */
function isName(cell: string): boolean {
  return cell !== '' && readNumber(cell) === undefined;
}

/** null where it is not known; undefined for what is no number. */
function numberOf(cell: string): number | null | undefined {
  const value = cell === '' ? null : readNumber(cell);
  return Number.isNaN(value) ? null : value;
}
