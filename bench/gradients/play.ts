/** Plays one search through the optimizer alone, with and without derivatives. */
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Goal, SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { jacobianOf } from './systems.ts';

export interface Played {
  /** Runs until the goal was met; the budget where it was not. */
  readonly runs: number;
  readonly isReached: boolean;
  /** Processor time of a suggestion, in milliseconds: mean and largest. */
  readonly meanMs: number;
  readonly mostMs: number;
}

/** Changes a correct Jacobian (outputs x inputs) before it is reported; null: it is not reported. */
export type Report = (jacobian: number[][], x: readonly number[]) => (number | null)[][] | null;

export interface Game {
  readonly variables: readonly Variable[];
  readonly model: (x: ArrayLike<number>) => number[];
  readonly goal: Goal;
  readonly isReached: (y: readonly number[]) => boolean;
  readonly stop?: SuggestRequest['stop'];
}

export function play(
  { variables, model, goal, isReached, stop }: Game,
  report: Report,
  seed: number,
  budget: number,
): Played {
  const space = { variables };
  const n = variables.length;
  const m = goal.targets.length;
  const { X: designed, count: designCount } = initialDesign({ space, outputCount: m, caseCount: null, seed });
  const X: number[] = [];
  const Y: number[] = [];
  const jacobian: number[] = [];
  const times: number[] = [];
  const finish = (reached: boolean): Played => ({
    runs: reached ? X.length / n : budget,
    isReached: reached,
    meanMs: times.reduce((sum, one) => sum + one, 0) / Math.max(1, times.length),
    mostMs: Math.max(0, ...times),
  });
  let isReported = false;
  for (let count = 0; count < budget; count++) {
    let x = Array.from(designed.slice(count * n, (count + 1) * n));
    if (count >= designCount) {
      const before = process.cpuUsage();
      const proposal = suggest({
        space,
        goal,
        history: {
          count,
          X: Float64Array.from(X),
          Y: Float64Array.from(Y),
          failed: new Uint8Array(count),
          ...(isReported && { jacobian: Float64Array.from(jacobian) }),
        },
        firstSuggested: designCount,
        convergence: 1e-6,
        ...(stop && { stop }),
        seed,
        workLimit: 3e3,
      });
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1e3);
      if (proposal.kind === 'nothing-new') break;
      x = Array.from(proposal.input);
    }
    const y = model(x);
    X.push(...x);
    Y.push(...y);
    if (isReached(y)) return finish(true);
    const rows = report(jacobianOf(model, variables, x), x);
    if (rows) isReported = true;
    jacobian.push(
      ...(rows ?? Array.from({ length: m }, () => new Array<null>(n).fill(null)))
        .flat()
        .map((one) => one ?? Number.NaN),
    );
  }
  return finish(false);
}
