import { type Cases, collectCases } from '../goal/cases.ts';
import type { CoarseSource, SuggestRequest } from '../interface/problem.ts';
import type { Work } from '../numerics/work.ts';
import { encodePending } from '../space/pending.ts';
import type { SearchSpace } from '../space/search-space.ts';
import { imagine } from './fantasies.ts';
import type { CoarseModel, Scales } from './model-choice.ts';
import { Predictor } from './predictor.ts';
import { fitScope, globalScope } from './scope.ts';

/** The models of a source are worth something from this many cases. */
const LEAST_CASES = 3;

/** The cases of a cheaper source. */
function casesOfSource(request: SuggestRequest, source: CoarseSource, space: SearchSpace): Cases {
  const { space: box, goal, convergence, seed, workLimit } = request;
  const own: SuggestRequest = {
    space: box,
    goal,
    convergence,
    seed,
    workLimit,
    history: source.history,
    firstSuggested: 0,
  };
  return collectCases(own, space.encoding, space.conditions);
}

/** The models of the cheaper sources that have runs enough, their pending inputs imagined as predicted. */
export function fitCoarseSources(request: SuggestRequest, space: SearchSpace): CoarseModel[] {
  return (request.coarse ?? []).flatMap((one, source): CoarseModel[] => {
    const cases = casesOfSource(request, one, space);
    if (cases.N < LEAST_CASES) return [];
    const work: Work = { spent: 0, limit: request.workLimit };
    const scope = globalScope(space, cases, request.goal);
    const { U } = encodePending({ ...request, pending: one.pending ?? new Float64Array(0) }, space.encoding);
    const modelsIn = (scales: Scales): CoarseModel => {
      const surrogate = fitScope(space.encoding, { ...cases, scales }, scope, cases.stall, work);
      const mean = { uniform: () => 0, normal: () => 0, below: () => 0 };
      const known = U.length === 0 ? surrogate : imagine(surrogate, new Predictor(surrogate, work), U, mean, work);
      return { surrogate: known, source };
    };
    const plain = modelsIn('plain');
    // Sources may differ by a summand where each of them varies by factors.
    const isWarped = plain.surrogate.outputs.some(({ fitted }) => fitted?.warp.kind === 'log');
    return isWarped ? [plain, modelsIn('identity')] : [plain];
  });
}
