import { nextDesigned } from './continued-design.ts';
import type { Cases } from './goal/cases.ts';
import { withOneDirection } from './goal/one-direction.ts';
import { bestOf } from './goal/targets.ts';
import { initialDesign } from './initial-design.ts';
import type { Proposal, SuggestRequest, Target, Variable } from './interface/problem.ts';
import { joined } from './linalg/dense.ts';
import { makeRandom } from './numerics/random.ts';
import type { Quest } from './quests/quest.ts';
import { questOf } from './quests/quest-of.ts';
import { type Prepared, prepare } from './search/prepare.ts';
import type { Problem } from './search/scope-search.ts';
import { coarseFirst, nextOfDesigns } from './source-choice.ts';
import { drawFarthest, firstUnseen, type Seen } from './space/seen.ts';

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
export function suggestFrom(asked: Prepared): Proposal {
  const designed = nextOfDesigns(asked);
  if (designed) return designed;
  const request = withOneDirection(asked.request);
  const prepared = request === asked.request ? asked : prepare(request);
  const quest = questOf(prepared.request);
  const proposal = settled(prepared, quest.decide(prepared, newInput(prepared, quest)));
  return coarseFirst(prepared, proposal) ?? proposal;
}

/** The proposal as it is handed out: conditions hold to the last bit, or as nearly as doubles can. A repeat is the input that it repeats. */
function settled({ conditions }: Prepared, proposal: Proposal): Proposal {
  if (conditions === null || proposal.kind !== 'candidate' || proposal.repeatOf !== undefined) return proposal;
  return { ...proposal, input: conditions.settled(proposal.input) };
}

/** Proposes an input that has not been evaluated. */
function newInput(prepared: Prepared, quest: Quest): Proposal {
  const { cases } = prepared;
  const seen = quest.seenIn(prepared);
  const bestIndex = bestAdmissible(cases);
  const evaluated = seen.distinct;
  if (evaluated >= prepared.countUpTo(evaluated + 1))
    return { kind: 'nothing-new', reason: 'space-used-up', bestIndex };
  const reason = quest.endOf(prepared);
  if (reason !== null) return { kind: 'nothing-new', reason, bestIndex };
  const instead = quest.proposalInstead(prepared, seen, bestIndex);
  if (instead) return instead;
  const problem: Problem = { ...prepared, seen, aim: quest.aim };
  const end = endByRule(problem, quest, bestIndex);
  if (end !== null) return end;
  const early = nextDesigned(prepared, seen, null);
  const found = cases.N > 0 && early === null ? quest.nextInput(problem) : null;
  if (found === 'no-improvement-expected') return { kind: 'nothing-new', reason: found, bestIndex };
  const designed = early ?? (found && nextDesigned(prepared, seen, found.x));
  const modelled = designed ? null : found;
  const input = designed ?? modelled?.x ?? explore(prepared, seen);
  if (input && prepared.conditions?.admits(input) === false) throw new Error('The suggestion breaks a condition.');
  return input
    ? { kind: 'candidate', input, expected: modelled?.expected ?? null, chance: modelled?.chance ?? null }
    : { kind: 'nothing-new', reason: 'duplicate', bestIndex };
}

/** The end of the search by its stop rule; null without a rule and while it goes on. */
function endByRule(problem: Problem, quest: Quest, bestIndex: number): Proposal | null {
  const { request, cases } = problem;
  const { stop, workLimit } = request;
  if (stop === undefined || cases.N === 0) return null;
  const end = quest.endByRule(problem, stop, { spent: 0, limit: workLimit });
  return end && { kind: 'nothing-new', bestIndex, ...end };
}

/** Row of the history with the smallest loss among the admissible inputs; -1 without a successful one. */
function bestAdmissible({ loss, isAdmissible, rows }: Cases): number {
  const admissible = Array.from(rows.keys()).filter((i) => isAdmissible[i] === 1);
  const best = bestOf(Float64Array.from(admissible, (i) => loss[i]!));
  return best < 0 ? -1 : rows[admissible[best]!]!;
}

/**
 * An input chosen without a model: the centre of the box for an empty history; else, of a random sample of inputs that were
 * not evaluated, the one farthest from the failed runs and from the pending inputs. null when none is found.
 */
function explore(prepared: Prepared, seen: Seen): Float64Array | null {
  const { request, cases, pending } = prepared;
  const count = request.history.count + pending.count;
  if (count === 0) {
    return initialDesign({ space: request.space, outputCount: null, caseCount: 1, seed: request.seed }).X;
  }
  const avoided = joined(cases.failedU, pending.U);
  const best = drawFarthest(prepared, seen, makeRandom(request.seed, 3, count), avoided);
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
