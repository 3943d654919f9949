/** Curves on a grid of their own, at the points of the data. The client in Python has the same rules in _curves.py. */
import { isSameNumber } from './number-text.ts';

/** Thrown when the output that a black box returned is no curve of its data. */
export class CurveError extends TypeError {
  override readonly name = 'CurveError';
}

/** The share of the range by which a grid may end before the data: the last time step of a simulation is rounded. */
const ROUNDING = 1e-9;
const APART = 'subtract the first one from all, also where the data have it';

/** A value of a curve as a number, NaN where it is missing, or as it is. */
export type ReadValue = (given: unknown) => unknown;

/** Reads values that are numbers already. */
export const readPlain: ReadValue = (given) => given ?? Number.NaN;

/**
 * Linear between the points of a grid that ascends or descends. Where several rows have one x, as at events and steps, the curve jumps:
 * below x the outer row on that side counts, at x and above it the one on the other side. Throws CurveError, also where the grid does not
 * cover the data.
 */
export function interpolate(
  name: string,
  grid: readonly unknown[],
  values: readonly unknown[],
  at: readonly number[],
  read: ReadValue = readPlain,
): readonly number[] {
  if (grid.length !== values.length || grid.length < 2) {
    const sizes = `${values.length} values on a grid of ${grid.length} points`;
    throw new CurveError(`The output ${name} has ${sizes}; both must be alike, and at least 2.`);
  }
  const where = `the grid of the output ${name}`;
  const xs = numbersIn(where, grid, read);
  const ys = numbersIn(`the output ${name}`, values, read);
  const endless = xs.findIndex((x) => !Number.isFinite(x));
  if (endless >= 0)
    throw new CurveError(`Row ${endless + 1} of ${where} is ${xs[endless]}, but must be a finite number.`);
  const merged = mergedIn(grid, xs);
  if (merged !== undefined) throw new CurveError(`Row ${merged.row} of ${where} ${merged.reason}.`);
  if (!ascends(where, xs)) {
    xs.reverse();
    ys.reverse();
  }
  const [first, last] = [xs[0]!, xs.at(-1)!];
  const slack = ROUNDING * last - ROUNDING * first;
  const missed = at.find((x) => !(x >= first - slack && x <= last + slack));
  if (missed === undefined) return at.map((x) => valueAt(xs, ys, x, slack));
  const covered = `covers ${first} to ${last}, and its data need ${missed}`;
  throw new CurveError(`The output ${name} ${covered}: compute a longer curve, or leave out these data.`);
}

/**
 * The first row, from 1, whose x a number cannot tell from that of the row before, or from another one.
 *
 * @param given  `xs` as numbers or texts
 * @returns the reason as a clause
 */
export function mergedIn(
  given: readonly unknown[],
  xs: readonly number[],
): { readonly row: number; readonly reason: string } | undefined {
  for (const [i, x] of xs.entries()) {
    if (!Number.isFinite(x)) continue;
    const text = String(given[i]).trim();
    if (typeof given[i] === 'string' && /^[-+]?\d+$/.test(text) && BigInt(text.replace('+', '')) !== BigInt(x)) {
      return { row: i + 1, reason: `is ${text}, which has too many digits for a 64-bit number: ${APART}` };
    }
    if (i === 0 || xs[i - 1] !== x) continue;
    if (Math.abs(x) > Number.MAX_SAFE_INTEGER || !isSameNumber(String(given[i - 1]), text)) {
      return { row: i + 1, reason: `is ${text}, and a 64-bit number cannot tell it from the row before: ${APART}` };
    }
  }
  return undefined;
}

function numbersIn(where: string, given: readonly unknown[], read: ReadValue): number[] {
  return given.map((one, i) => {
    const number = read(one);
    if (typeof number === 'number') return number;
    throw new CurveError(`Row ${i + 1} of ${where} is ${JSON.stringify(one) ?? String(one)}, which is not a number.`);
  });
}

/** Whether it does, rather than descend. Throws CurveError where it goes back. */
function ascends(where: string, xs: readonly number[]): boolean {
  const steps = xs.flatMap((x, i) =>
    i === 0 || x === xs[i - 1] ? [] : [{ row: i + 1, before: xs[i - 1]!, after: x }],
  );
  const isRising = 2 * steps.filter(({ before, after }) => after > before).length >= steps.length;
  const turn = steps.find(({ before, after }) => after > before !== isRising);
  if (turn === undefined) return isRising;
  const back = `Row ${turn.row} of ${where} goes back, from ${turn.before} to ${turn.after}`;
  throw new CurveError(`${back}. Several rows may have the same x, but none may go back.`);
}

/** A point of the grid that is missed by slack is meant. */
function valueAt(xs: readonly number[], ys: readonly number[], x: number, slack: number): number {
  const k = Math.max(0, countUpTo(xs, x + slack) - 1);
  // A number that is not finite beside a point of the grid is not used.
  if (k + 1 === xs.length || x - xs[k]! <= slack) return ys[k]!;
  return ys[k]! + ((x - xs[k]!) / (xs[k + 1]! - xs[k]!)) * (ys[k + 1]! - ys[k]!);
}

/** @param xs  ascending */
function countUpTo(xs: readonly number[], limit: number): number {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
