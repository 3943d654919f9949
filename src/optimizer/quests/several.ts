import { afterSolutions } from '../goal/cases.ts';
import type { Prepared } from '../search/prepare.ts';
import { encode, movableCount } from '../space/encoding.ts';
import type { Seen } from '../space/seen.ts';
import { oneRun } from './one-run.ts';
import type { Kind } from './quest.ts';

/** Suggestions since the last solution after which the search for another one ends. */
const PATIENCE = 30;
const PATIENCE_PER_INPUT = 5;

/** The search for several solutions that differ. */
export const several: Kind = (request) => {
  if (!request.solutions) return null;
  const base = oneRun(request);
  return {
    ...base,
    seenIn: (prepared) => apartFromSolutions(prepared, base.seenIn(prepared)),
    endOf: (prepared) => (isSearchedEnough(prepared) ? 'no-further-solution' : null),
  };
};

/** Inputs near a solution found count as seen, so that the search returns others. */
function apartFromSolutions({ encoding, avoidance }: Prepared, seen: Seen): Seen {
  if (avoidance === null) return seen;
  const u = new Float64Array(encoding.p);
  const isNear = (x: Float64Array) => {
    encode(encoding, x, 0, u, 0);
    return avoidance.isNear(u);
  };
  return {
    has: (x) => seen.has(x) || isNear(x),
    get distinct() {
      return seen.distinct;
    },
  };
}

function isSearchedEnough({ request, encoding, pending }: Prepared): boolean {
  const { history, solutions, firstSuggested } = request;
  if (!solutions || solutions.found.length === 0) return false;
  const since = Math.max(firstSuggested, afterSolutions(history, solutions, encoding.n));
  return history.count - since + pending.count >= PATIENCE + PATIENCE_PER_INPUT * movableCount(encoding);
}
