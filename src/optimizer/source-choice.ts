/**
 * Which source to run next. After a first fine run, in bulk, a design of the cheaper source for less than the cost of one; then fine runs,
 * each after runs of the cheaper source at the same input while these tell enough for their cost. A source is left alone once the evidence
 * of the models is against it.
 */
import { initialDesign } from './initial-design.ts';
import { joined, squareBetween } from './linalg/dense.ts';
import { makeRandom } from './numerics/random.ts';
import type { Work } from './numerics/work.ts';
import type { Prepared } from './prepare.ts';
import type { CoarseSource, Proposal, SuggestRequest } from './problem.ts';
import { featuresOf, movableCount } from './space/encoding.ts';
import { drawUnseen, makeSeen, type Seen } from './space/seen.ts';
import type { Surrogate } from './surrogate/model-choice.ts';
import { Predictor } from './surrogate/predictor.ts';

/**
 * What the runs of a source may cost, in fine runs, before two fine runs tell whether it helps; what share of it its design may take,
 * up to so many runs per input; and what it may cost for every further fine run.
 */
const FIRST = { cost: 0.9, share: 0.7, perInput: 6 };
const PER_FINE_RUN = 0.7;
/** Fewer runs make no design: such a source is run beside the first fine runs, so that few of both show whether it helps. */
const LEAST_DESIGN = 4;
const LEAST_RUNS = 3;
/** Least log evidence for a source, of all outputs together. */
const LEAST_SUPPORT = 2;
/**
 * A run of a source is worth its cost while it is unsure of some output by this much per root of the cost, in units of what else is
 * unknown of the output; its own standard deviation counts so many times, since models of few runs are too sure.
 */
const WORTH = { doubt: 1, times: 3 };
/** Random inputs of which a design takes the one farthest from all others. */
const DRAWN = 100;

type Candidate = Extract<Proposal, { kind: 'candidate' }>;

const candidate = (input: Float64Array, source?: number): Candidate => ({
  kind: 'candidate',
  input,
  ...(source !== undefined && { source }),
  expected: null,
  chance: null,
});

/** The next input of the design of a cheaper source; null when all designs are complete. */
export function nextOfDesign(prepared: Prepared): Candidate | null {
  for (const [k, source] of (prepared.request.coarse ?? []).entries()) {
    const n = movableCount(prepared.encoding);
    const affordable = Math.floor((FIRST.share * FIRST.cost) / source.cost + 1e-9);
    const wanted = affordable < LEAST_DESIGN ? 1 : Math.min(affordable, FIRST.perInput * n);
    if (runsOf(source, prepared.encoding.n) >= wanted) continue;
    const input =
      runsOf(source, prepared.encoding.n) === 0 ? centreOf(prepared.request) : farthest(prepared, source, k);
    if (input) return candidate(input, k);
  }
  return null;
}

function centreOf({ space, seed }: SuggestRequest): Float64Array {
  return initialDesign({ space, outputCount: null, caseCount: 1, seed }).X;
}

/**
 * The next input of the design of the fine source while nothing speaks for a cheaper one: as without sources. null once it is complete,
 * and where models of a cheaper source lead.
 */
export function nextOfFineDesign(prepared: Prepared): Candidate | null {
  const { request, encoding, pending, cases } = prepared;
  const { history, coarse = [], space, seed } = request;
  const { n } = encoding;
  const known = history.count + pending.count;
  if (coarse.length === 0 || known === 0) return null;
  const { count, X } = initialDesign({ space, outputCount: request.goal.targets.length, caseCount: null, seed });
  if (known >= count) return null;
  const models = cases.N > 0 ? prepared.fitGlobally({ spent: 0, limit: request.workLimit }) : null;
  const leads =
    models !== null && (cases.N < 2 ? models.coarse.length > 0 : models.support.some((one) => one > LEAST_SUPPORT));
  if (leads) return null;
  const seen = makeSeen(prepared, joined(history.X, pending.X), known);
  for (let i = 0; i < count; i++) {
    const x = X.slice(i * n, (i + 1) * n);
    if (!seen.has(x)) return candidate(x);
  }
  return null;
}

/** All runs of a source, pending ones included. */
function runsOf({ history, pending }: CoarseSource, n: number): number {
  return history.count + (pending?.length ?? 0) / n;
}

function inputsOf(source: CoarseSource): Float64Array {
  return joined(source.history.X, source.pending ?? new Float64Array(0));
}

function seenBy(prepared: Prepared, source: CoarseSource): Seen {
  return makeSeen(prepared, inputsOf(source), runsOf(source, prepared.encoding.n));
}

/** Of random inputs the one that is farthest from all inputs of a source. */
function farthest(prepared: Prepared, source: CoarseSource, k: number): Float64Array | null {
  const { encoding, request } = prepared;
  const { n, p } = encoding;
  const X = inputsOf(source);
  const count = runsOf(source, n);
  const known = Array.from({ length: count }, (_, i) => featuresOf(encoding, X.subarray(i * n, (i + 1) * n)));
  const random = makeRandom(request.seed, 20, k, count);
  const seen = seenBy(prepared, source);
  const x = new Float64Array(n);
  const u = new Float64Array(p);
  let best: Float64Array | null = null;
  let apart = -1;
  for (let i = 0; i < DRAWN && drawUnseen(prepared, seen, random, x, u); i++) {
    let distance = Number.POSITIVE_INFINITY;
    for (const other of known) distance = Math.min(distance, squareBetween(u, other));
    if (best === null || distance > apart) {
      apart = distance;
      best = x.slice();
    }
  }
  return best;
}

/** The same input for a cheaper source first, where that tells enough for its cost; null where it does not. */
export function coarseFirst(prepared: Prepared, proposal: Proposal): Candidate | null {
  const { request, encoding, cases } = prepared;
  if (proposal.kind !== 'candidate' || proposal.repeatOf !== undefined || cases.N === 0) return null;
  const work = { spent: 0, limit: request.workLimit };
  const surrogate = prepared.fitGlobally(work);
  const u = featuresOf(encoding, proposal.input);
  const predictor = new Predictor(surrogate, work);
  predictor.predict(u);
  const doubts = doubtsOf(surrogate, predictor, u, work);
  for (const [k, source] of (request.coarse ?? []).entries()) {
    if (source.history.count < LEAST_RUNS && !seenBy(prepared, source).has(proposal.input))
      return candidate(proposal.input, k);
    const index = surrogate.coarse.findIndex((one) => one.source === k);
    if (index < 0) continue;
    const spent = (runsOf(source, encoding.n) + 1) * source.cost;
    if (spent > FIRST.cost + PER_FINE_RUN * (cases.N - 1)) continue;
    if (surrogate.support[index]! <= LEAST_SUPPORT && cases.N > 1) continue;
    if (doubts[k]! < WORTH.doubt * Math.sqrt(source.cost)) continue;
    if (seenBy(prepared, source).has(proposal.input)) continue;
    return candidate(proposal.input, k);
  }
  return null;
}

/**
 * By source, how unsure its models are of an output, in units of what else is not known of the output or does not matter: of the
 * worst one.
 */
function doubtsOf({ outputs, coarse }: Surrogate, predictor: Predictor, u: Float64Array, work: Work): number[] {
  const own = coarse.map(({ surrogate }) => new Predictor(surrogate, work));
  for (const one of own) one.predict(u);
  const doubts: number[] = [];
  for (const { source } of coarse) doubts[source] = 0;
  outputs.forEach(({ fitted, lower, upper }, j) => {
    if (!fitted?.trend) return;
    const { model, rho } = fitted.trend;
    const theirs = Math.abs(rho) * own[model]!.sigma[j]!;
    const rest = Math.sqrt(Math.max(0, predictor.sigma[j]! ** 2 - theirs ** 2));
    const margin = Number.isFinite(upper - lower) ? (upper - lower) / 2 : 0;
    const { source } = coarse[model]!;
    doubts[source] = Math.max(doubts[source]!, (WORTH.times * theirs) / Math.hypot(rest, margin));
  });
  return doubts;
}
