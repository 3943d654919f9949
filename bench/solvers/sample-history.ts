/** Histories of random cases of coupled outputs, for measuring the time of a suggestion. */
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { makeNormal, makeUniform } from '../problems/random.ts';
import { WORK_LIMIT } from './play.ts';

export interface Sample {
  readonly U: number[][];
  readonly Y: number[][];
  readonly targets: readonly Target[];
}

/**
 * @param kind `smooth`, `rough`, `stalled` or `directed`, see suggest-time.ts
 * @param size inputs, outputs, points
 */
export function makeSample(kind: string, [inputs, outputs, points]: readonly number[], repeat: number): Sample {
  const normal = makeNormal(inputs! * 1000 + outputs! + 7919 * repeat);
  const uniform = makeUniform(points! + 104_729 * repeat);
  const frequency = kind === 'rough' ? 4 : 1;
  const weights = Array.from({ length: outputs! }, () =>
    Array.from({ length: inputs! }, () => (2 * normal()) / Math.sqrt(inputs!)),
  );
  const respond = (u: readonly number[]) =>
    weights.map((row, j) => {
      const z = row.reduce((total, weight, i) => total + weight * (2 * u[i]! - 1), 0);
      return Math.sin(frequency * z + j) + 0.3 * z * z + 0.5 * z;
    });
  const draw = () => Array.from({ length: inputs! }, uniform);
  const U = Array.from({ length: points! }, draw);
  const wanted = respond(draw());
  if (kind === 'stalled') U[0] = draw();
  const targets = wanted.map((value, j): Target => {
    if (kind !== 'directed') return within(value - 0.01, value + 0.01, 'none');
    return j === 0
      ? within(Number.NEGATIVE_INFINITY, -1e3, 'minimize')
      : within(Number.NEGATIVE_INFINITY, value + 0.5, 'none');
  });
  if (kind === 'stalled') {
    const distance = (u: readonly number[]) => respond(u).reduce((sum, y, j) => sum + (y - wanted[j]!) ** 2, 0);
    U.sort((a, b) => distance(a) - distance(b));
  }
  return { U, Y: U.map(respond), targets };
}

function within(lower: number, upper: number, direction: Target['direction']): Target {
  return { lower, upper, lowerOpen: false, upperOpen: false, direction };
}

/** The request for the next input after a sample, whose inputs lie between 0 and 1. */
export function requestOf({ U, Y, targets }: Sample, seed: number): SuggestRequest {
  const count = U.length;
  return {
    space: { variables: U[0]!.map(() => ({ kind: 'float', minimum: 0, maximum: 1 })) },
    goal: { targets, l1: null },
    history: { count, X: Float64Array.from(U.flat()), Y: Float64Array.from(Y.flat()), failed: new Uint8Array(count) },
    firstSuggested: 0,
    convergence: 1e-6,
    seed,
    workLimit: WORK_LIMIT,
  };
}
