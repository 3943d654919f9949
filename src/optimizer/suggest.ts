import { nonDominated } from '../numbers/pareto.ts';
import { asProposal, decide } from './confidence/policy.ts';
import { afterSolutions, type Cases } from './goal/cases.ts';
import { feasibleCases, frontOf, openOutputs, pointsOf, referenceOf } from './goal/front.ts';
import { bestOf } from './goal/targets.ts';
import { initialDesign } from './initial-design.ts';
import { joined } from './linalg/dense.ts';
import { hypervolume } from './numerics/hypervolume.ts';
import { makeRandom } from './numerics/random.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { Proposal, Standstill, SuggestRequest, Target, Variable } from './problem.ts';
import { aimAtRobustness, type RobustOutcome } from './robustness/aim.ts';
import { nextInput } from './search/next-input.ts';
import { standstillOf } from './search/standstill.ts';
import { encode, movableCount } from './space/encoding.ts';
import { drawUnseen, firstUnseen, makeSeen, type Seen } from './space/seen.ts';

/** Suggestions per problem of the warm-up. */
const WARM_UP_SUGGESTIONS = 14;

/**
 * Proposes the next input to evaluate, or states why there is none.
 *
 * A pure function of the request: the same bytes in give the same bytes out. Throws RangeError for arrays whose lengths do
 * not match and for bounds that are not finite or out of order; answers every other request.
 */
export function suggest(request: SuggestRequest): Proposal {
  return suggestFrom(prepare(request));
}

/** As `suggest`; what it fits stays in `prepared` for the explanation. */
export function suggestFrom(prepared: Prepared): Proposal {
  const proposal = newInput(prepared);
  const asked = prepared.request.noise?.asked;
  if (!asked) return proposal;
  const decision = decide(prepared, asked, proposal.kind === 'candidate' ? proposal.input : null);
  return asProposal(prepared, decision, proposal);
}

/** Proposes an input that has not been evaluated. */
function newInput(prepared: Prepared): Proposal {
  const { request, cases, pending } = prepared;
  const { history } = request;
  const evaluatedOrPending = makeSeen(prepared, joined(history.X, pending.X), history.count + pending.count);
  const seen = apartFromSolutions(prepared, evaluatedOrPending);
  const bestIndex = bestAdmissible(cases);
  const evaluated = seen.distinct;
  if (evaluated >= prepared.countUpTo(evaluated + 1))
    return { kind: 'nothing-new', reason: 'space-used-up', bestIndex };
  if (hasFrontStagnated(prepared)) return { kind: 'nothing-new', reason: 'no-improvement-expected', bestIndex };
  if (isSearchedEnough(prepared)) return { kind: 'nothing-new', reason: 'no-further-solution', bestIndex };
  const robust = request.robustAim ? aimAtRobustness(prepared, request.robustAim, seen) : null;
  if (robust) return robustProposal(prepared, robust, bestIndex);
  const standstill = endsByRule(prepared, seen);
  if (standstill !== null) return { kind: 'nothing-new', reason: 'standstill', bestIndex, standstill };
  const found = cases.N > 0 ? nextInput({ ...prepared, seen }) : null;
  if (found === 'no-improvement-expected') return { kind: 'nothing-new', reason: found, bestIndex };
  const input = found?.x ?? explore(prepared, seen);
  if (input && prepared.conditions?.areMet(input) === false) throw new Error('The suggestion breaks a condition.');
  return input
    ? { kind: 'candidate', input, expected: found?.expected ?? null, chance: found?.chance ?? null }
    : { kind: 'nothing-new', reason: 'duplicate', bestIndex };
}

/** What ends the search by its stop rule; null without a rule and while it goes on. */
function endsByRule(prepared: Prepared, seen: Seen): Standstill | null {
  const { request, cases } = prepared;
  if (request.stop === undefined || cases.N === 0) return null;
  return standstillOf({ ...prepared, seen }, request.stop, { spent: 0, limit: request.workLimit });
}

/** While inputs are pending, what they will show decides: a second input now would be near the first. */
function robustProposal({ pending }: Prepared, { next, surestIndex }: RobustOutcome, bestIndex: number): Proposal {
  if (pending.count > 0) return { kind: 'nothing-new', reason: 'duplicate', bestIndex };
  if (next === null) return { kind: 'nothing-new', reason: 'robust', bestIndex: surestIndex };
  return { kind: 'candidate', input: next.x, expected: null, chance: null, surestIndex };
}

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

/** Suggestions since the last of several solutions after which the search for another one ends. */
const PATIENCE = 30;
const PATIENCE_PER_INPUT = 5;

function isSearchedEnough({ request, encoding, pending }: Prepared): boolean {
  const { history, solutions, firstSuggested } = request;
  if (!solutions || solutions.found.length === 0) return false;
  const since = Math.max(firstSuggested, afterSolutions(history, solutions, encoding.n));
  return history.count - since + pending.count >= PATIENCE + PATIENCE_PER_INPUT * movableCount(encoding);
}

/** Suggestions that raised the hypervolume by less than the convergence criterion after which the search for a front ends. */
const FRONT_PATIENCE = 30;

function hasFrontStagnated({ request, cases }: Prepared): boolean {
  const open = openOutputs(request.goal);
  const { history, firstSuggested, convergence } = request;
  const since = history.count - FRONT_PATIENCE;
  if (open.length === 0 || since < firstSuggested) return false;
  const feasible = feasibleCases(cases);
  const earlier = feasible.filter((i) => cases.rows[i]! < since);
  if (earlier.length === 0) return false;
  const all = pointsOf(open, cases.Y, cases.intervals.length);
  const reference = referenceOf(open, frontOf(cases, open).points, all);
  const volumeOf = (of: readonly number[]) => {
    const points = of.map((i) => all[i]!);
    return hypervolume(
      nonDominated(points).map((k) => points[k]!),
      reference,
    );
  };
  const volume = volumeOf(feasible);
  return volume - volumeOf(earlier) <= convergence * volume;
}

/** Row of the history with the smallest loss among the admissible inputs; -1 without a successful one. */
function bestAdmissible({ loss, isAdmissible, rows }: Cases): number {
  const admissible = Array.from(rows.keys()).filter((i) => isAdmissible[i] === 1);
  const best = bestOf(Float64Array.from(admissible, (i) => loss[i]!));
  return best < 0 ? -1 : rows[admissible[best]!]!;
}

/** Random inputs to choose from when there is no model. */
const EXPLORED = 100;

/**
 * An input chosen without a model: the centre of the box for an empty history; else, of a random sample of inputs that were
 * not evaluated, the one farthest from the failed runs and from the pending inputs. null when none is found.
 */
function explore(prepared: Prepared, seen: Seen): Float64Array | null {
  const { request, cases, pending } = prepared;
  const avoided = joined(cases.failedU, pending.U);
  const { n, p } = prepared.encoding;
  const x = new Float64Array(n);
  const u = new Float64Array(p);
  const count = request.history.count + pending.count;
  if (count === 0) {
    return initialDesign({ space: request.space, outputCount: null, caseCount: 1, seed: request.seed }).X;
  }
  const random = makeRandom(request.seed, 3, count);
  let best: Float64Array | null = null;
  let farthest = -1;
  for (let k = 0; k < EXPLORED && drawUnseen(prepared, seen, random, x, u); k++) {
    let nearest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < avoided.length; i += p) {
      let square = 0;
      for (let f = 0; f < p; f++) square += (avoided[i + f]! - u[f]!) ** 2;
      nearest = Math.min(nearest, square);
    }
    if (nearest > farthest) {
      farthest = nearest;
      best = x.slice();
    }
  }
  return best ?? firstUnseen(prepared, seen);
}

/**
 * Solves two small problems so that the JIT compiles the hot loops before the first request. Takes a few hundred
 * milliseconds; without it the first suggestion is about three times slower.
 */
export function warmUp(): void {
  const float: Variable = { kind: 'float', minimum: -2, maximum: 2 };
  const integer: Variable = { kind: 'integer', minimum: 0, maximum: 9 };
  solve([float, float, float, float], [around(0.3), around(-0.2), around(1.1)]);
  solve([float, integer, float], [below(0.1), around(0.5)]);
}

function around(center: number): Target {
  return { lower: center - 1e-6, upper: center + 1e-6, lowerOpen: false, upperOpen: false, direction: 'none' };
}

function below(upper: number): Target {
  return { lower: Number.NEGATIVE_INFINITY, upper, lowerOpen: false, upperOpen: false, direction: 'minimize' };
}

function solve(variables: readonly Variable[], targets: readonly Target[]): void {
  const space = { variables };
  const m = targets.length;
  const design = initialDesign({ space, outputCount: m, caseCount: null, seed: 1 });
  const X = Array.from(design.X);
  for (let count = design.count; count < design.count + WARM_UP_SUGGESTIONS; count++) {
    const Y = Float64Array.from({ length: count * m }, (_, k) =>
      response(X, variables.length, Math.floor(k / m), k % m),
    );
    const request: SuggestRequest = {
      space,
      goal: { targets, l1: null },
      history: { count, X: Float64Array.from(X), Y, failed: new Uint8Array(count) },
      firstSuggested: design.count,
      convergence: 1e-6,
      seed: 1,
      workLimit: 1e3,
    };
    const proposal = suggest(request);
    if (proposal.kind !== 'candidate') return;
    X.push(...proposal.input);
  }
}

/** Output j of row i: a smooth curved response. */
function response(X: readonly number[], n: number, i: number, j: number): number {
  let sum = 0;
  for (let v = 0; v < n; v++) {
    const x = X[i * n + v]!;
    sum += Math.sin(x * (0.7 + 0.3 * j) + v) + 0.1 * (j + 1) * x * x;
  }
  return sum;
}
