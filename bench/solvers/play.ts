/** Plays one problem with the optimizer of this repository, as a client of the service would. */
import { compileGoal } from '../../src/domain/acceptance.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { History, SuggestRequest } from '../../src/optimizer/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { judge } from '../problems/judge.ts';
import { type Problem, toDefinition } from '../problems/problem.ts';

/** Limit of the work per suggestion, in million floating point operations: the default of the service. */
export const WORK_LIMIT = 15_000;

export interface Play {
  /** Evaluations made, including designed cases and the start point. */
  readonly runs: number;
  readonly solved: boolean;
  /** How many of them the optimizer suggested. */
  readonly suggestions: number;
  /** Wall time in the optimizer. */
  readonly seconds: number;
  /** Why it ended: satisfied, budget, or the reason that the optimizer gave. */
  readonly end: string;
}

/** Plays designed cases, the start point, then suggestions until everything is satisfied or the budget is spent. */
export function play(problem: Problem, seed: number): Play {
  const goal = compileGoal(toDefinition(problem));
  const space = { variables: problem.variables };
  const record = makeRecord(problem, seed);
  const started = performance.now();
  const design = initialDesign({ space, outputCount: problem.objectives.length, caseCount: null, seed });
  let seconds = (performance.now() - started) / 1000;
  const n = problem.variables.length;
  const finish = (end: string): Play => {
    const suggestions = Math.max(0, record.count() - design.count - 1);
    return { runs: record.count(), solved: end === 'satisfied', suggestions, seconds, end };
  };
  for (let i = 0; i < design.count; i++) {
    if (record.evaluate(design.X.subarray(i * n, (i + 1) * n))) return finish('satisfied');
  }
  if (record.evaluate(problem.start)) return finish('satisfied');
  const firstSuggested = record.count();
  while (record.count() < problem.budget) {
    const { convergence } = problem;
    const request: SuggestRequest = {
      space,
      goal,
      history: record.history(),
      firstSuggested,
      convergence,
      seed,
      workLimit: WORK_LIMIT,
    };
    const before = performance.now();
    const proposal = suggest(request);
    seconds += (performance.now() - before) / 1000;
    if (proposal.kind === 'nothing-new') return finish(proposal.reason);
    if (record.evaluate(proposal.input)) return finish('satisfied');
  }
  return finish('budget');
}

/** The growing history of one play. */
function makeRecord(problem: Problem, seed: number) {
  const m = problem.objectives.length;
  const X: number[] = [];
  const Y: number[] = [];
  const failed: number[] = [];
  return {
    count: (): number => failed.length,
    /** Evaluates an input and returns whether its output satisfies everything. */
    evaluate(x: ArrayLike<number>): boolean {
      const input = Array.from(x);
      const output = problem.evaluate(input, { seed, index: failed.length });
      const isUsable = output?.every(Number.isFinite) ?? false;
      X.push(...input);
      Y.push(...(isUsable ? output! : new Array<number>(m).fill(0)));
      failed.push(isUsable ? 0 : 1);
      return judge(problem, output);
    },
    history: (): History => ({
      count: failed.length,
      X: Float64Array.from(X),
      Y: Float64Array.from(Y),
      failed: Uint8Array.from(failed),
    }),
  };
}
