/**
 * The least possible worst miss of a system, by a smooth minimax method with many starts: Newton steps on
 *   mu log sum exp(miss / mu)
 * with mu falling to zero. With an L1 goal the sum of the misses, smoothed as sqrt(miss^2 + mu^2), takes its place.
 *
 * Source: Xu (2001), Smoothing method for minimax problems, Computational Optimization and Applications 20.
 */
import { makeUniform } from '../problems/random.ts';
import { missOf, type System, signedMisses } from './system.ts';

const MUS = [1, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const STEPS = 60;
/** Steps of the central differences, in halves of a range. */
const DIFFERENCE = 1e-5;

export interface Minimum {
  readonly least: number;
  readonly at: readonly number[];
}

/** The best of `starts` random starts for every combination of the integers. */
export function leastMiss(system: System, starts: number, seed = 1): Minimum {
  const uniform = makeUniform(seed);
  let best: Minimum = { least: Number.POSITIVE_INFINITY, at: [] };
  for (const levels of combinations(system)) {
    for (let k = 0; k < starts; k++) {
      const start = system.variables.map(() => 2 * uniform() - 1);
      const found = descend(system, levels, start);
      if (found.least < best.least) best = found;
    }
  }
  return best;
}

/** One value per integer variable, null for floats. */
function combinations({ variables }: System): (number | null)[][] {
  let all: (number | null)[][] = [[]];
  for (const { kind, minimum, maximum } of variables) {
    const values = kind === 'float' ? [null] : Array.from({ length: maximum - minimum + 1 }, (_, k) => minimum + k);
    all = all.flatMap((one) => values.map((value) => [...one, value]));
  }
  return all;
}

/** @param start from -1 to 1 */
function descend(system: System, levels: readonly (number | null)[], start: number[]): Minimum {
  const floats = levels.flatMap((level, v) => (level === null ? [v] : []));
  const inputAt = (u: readonly number[]) =>
    system.variables.map(({ minimum, maximum }, v) => levels[v] ?? minimum + ((maximum - minimum) * (1 + u[v]!)) / 2);
  const missesAt = (u: readonly number[]) => signedMisses(system, system.evaluate(inputAt(u)));
  let current = start;
  let best: Minimum = { least: missOf(system, inputAt(start)), at: inputAt(start) };
  for (const mu of MUS) {
    let damping = 1e-3;
    for (let step = 0; step < STEPS; step++) {
      const g = missesAt(current);
      const { value, slope, curvature } = smoothed(g, mu, system.isL1);
      const rowOf = (v: number) => {
        const moved = (by: number) => missesAt(current.map((one, k) => (k === v ? one + by : one)));
        const [up, down] = [moved(DIFFERENCE), moved(-DIFFERENCE)];
        return up.map((one, i) => (one - down[i]!) / (2 * DIFFERENCE));
      };
      const rows = floats.map((v) => ({ v, row: rowOf(v) }));
      const isHeld = (v: number, row: readonly number[]) =>
        Math.abs(current[v]!) >= 1 && current[v]! * dot(row, slope) < 0;
      const loose = rows.filter(({ v, row }) => !isHeld(v, row));
      const free = loose.map(({ v }) => v);
      const J = loose.map(({ row }) => row);
      const gradient = J.map((row) => dot(row, slope));
      let gained = false;
      for (let failure = 0; failure < 12 && !gained; failure++) {
        const H = J.map((a, r) =>
          J.map((b, c) => curvature(a, b) + (r === c ? damping * (curvature(a, a) + dot(a, a) + 1e-12) : 0)),
        );
        const d = solve(H, gradient);
        const next = current.slice();
        free.forEach((v, k) => {
          next[v] = Math.min(1, Math.max(-1, next[v]! - d[k]!));
        });
        const trial = missesAt(next);
        if (trial.every(Number.isFinite) && smoothed(trial, mu, system.isL1).value < value - 1e-15) {
          gained = true;
          current = next;
          damping = Math.max(1e-12, damping / 8);
          const least = missOf(system, inputAt(next));
          if (least < best.least) best = { least, at: inputAt(next) };
        } else damping *= 6;
      }
      if (!gained) break;
    }
  }
  return best;
}

/** The smoothed worst miss, or sum of misses, with its slope by each miss and a model of its curvature along two directions. */
function smoothed(g: readonly number[], mu: number, isL1: boolean) {
  if (isL1) {
    // Each output has two entries of opposite sign; the first has its deviation.
    const root = g.map((one, i) => (i % 2 === 0 ? Math.hypot(one, mu) : 0));
    const slope = g.map((one, i) => (i % 2 === 0 ? one / root[i]! : 0));
    const curvature = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, one, i) => (i % 2 === 0 ? sum + (one * b[i]!) / root[i]! : sum), 0);
    return { value: root.reduce((sum, one) => sum + one, 0), slope, curvature };
  }
  const top = Math.max(...g);
  const shares = g.map((one) => Math.exp((one - top) / mu));
  const total = shares.reduce((sum, one) => sum + one, 0);
  const slope = shares.map((one) => one / total);
  const curvature = (a: readonly number[], b: readonly number[]) => {
    const product = a.reduce((sum, one, i) => sum + slope[i]! * one * b[i]!, 0);
    return (product - dot(a, slope) * dot(b, slope)) / mu;
  };
  return { value: top + mu * Math.log(total), slope, curvature };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, one, i) => sum + one * b[i]!, 0);
}

/** Gaussian elimination with pivots. */
function solve(H: number[][], right: readonly number[]): number[] {
  const q = right.length;
  const A = H.map((row, r) => [...row, right[r]!]);
  for (let c = 0; c < q; c++) {
    let pivot = c;
    for (let r = c + 1; r < q; r++) if (Math.abs(A[r]![c]!) > Math.abs(A[pivot]![c]!)) pivot = r;
    [A[c], A[pivot]] = [A[pivot]!, A[c]!];
    for (let r = c + 1; r < q; r++) {
      const factor = A[r]![c]! / (A[c]![c]! || Number.MIN_VALUE);
      for (let k = c; k <= q; k++) A[r]![k]! -= factor * A[c]![k]!;
    }
  }
  const d = new Array<number>(q).fill(0);
  for (let r = q - 1; r >= 0; r--) {
    let rest = A[r]![q]!;
    for (let k = r + 1; k < q; k++) rest -= A[r]![k]! * d[k]!;
    d[r] = rest / (A[r]![r]! || Number.MIN_VALUE);
  }
  return d;
}
