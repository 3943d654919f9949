/**
 * Chooses the source to run next. A cheaper source is held against the fine one at the first inputs of the design, each run by both. Once
 * the evidence of the models speaks for it clearly, it gets a design of its own; then fine runs, each after runs of the cheaper source at
 * the same input while these tell enough for their cost. A source that the evidence does not speak for is left alone.
 */
import { initialDesign } from './initial-design.ts';
import type { CoarseSource, Proposal } from './interface/problem.ts';
import { joined, squareBetween } from './linalg/dense.ts';
import { makeRandom } from './numerics/random.ts';
import type { Work } from './numerics/work.ts';
import type { Prepared } from './search/prepare.ts';
import { featuresOf, movableCount } from './space/encoding.ts';
import { drawUnseen, makeSeen, mayBeProposed, type Seen } from './space/seen.ts';
import { noiseVariance, type Surrogate } from './surrogate/model-choice.ts';
import { Predictor } from './surrogate/predictor.ts';
import { isTrusted } from './surrogate/trend.ts';

/** Cost limit of the runs of a source, in fine runs, while nothing speaks for it. */
const PROBE = 0.5;
/** Below this log evidence a source is not probed further. */
const HOPELESS = -1;
/**
 * Cost limit of the design of a trusted source, with a maximum of runs per input, and cost limit of its further runs for every fine run.
 */
const DESIGN = { cost: 0.5, perInput: 6 };
const PER_FINE_RUN = 0.3;
/** The same for the few runs that models need, of a dear source. */
const FEW_RUNS = 1;
/** Number of fine runs, from the first on, that are probed: a long history need not be run again. */
const FINE_PROBED = 4;
/** A sum of costs such as 5 x 0.1 is a little more than 0.5. */
const ROUNDING = 1e-9;
/** Cases from which a source is modelled. */
const LEAST_RUNS = 3;
/**
 * A run of a source is worth its cost while it is unsure of some output by this much per root of the cost, in units of what else is
 * unknown of the output; its own standard deviation counts so many times, since models of few runs are too sure.
 */
const WORTH = { doubt: 0.5, times: 3 };
/** Standard deviation of the difference from a source in those of its outputs: of one that is related, and of one that is not. */
const RELATED_SD = 0.4;
const UNRELATED_SD = Math.SQRT2;
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

/** Whether the evidence speaks for each source, from the models of all cases. */
interface Trust {
  readonly surrogate: Surrogate | null;
  /** By source; null while nothing is known. */
  readonly support: readonly (number | null)[];
}

/** The next input of a design, of the fine source or of a cheaper one; null once the designs are complete or of no use. */
export function nextOfDesigns(prepared: Prepared): Candidate | null {
  const { request } = prepared;
  const { coarse = [] } = request;
  if (coarse.length === 0) return null;
  const trust = trustOf(prepared);
  const design = unseenOfFineDesign(prepared);
  for (const [k, source] of coarse.entries()) {
    const input = isTrusted(trust.support[k] ?? null)
      ? nextOfOwnDesign(prepared, source, k)
      : nextProbe(prepared, source, trust.support[k] ?? null, design);
    if (input) return candidate(input, k);
  }
  const leads = trust.support.some((one) => isTrusted(one));
  return design.length > 0 && !leads ? candidate(design[0]!) : null;
}

function trustOf(prepared: Prepared): Trust {
  const { request, cases } = prepared;
  const { coarse = [] } = request;
  if (cases.N === 0) return { surrogate: null, support: coarse.map(() => null) };
  const surrogate = prepared.fitGlobally({ spent: 0, limit: request.workLimit });
  if (cases.N === 1) return { surrogate, support: coarse.map((source) => firstImpression(prepared, source)) };
  const support = coarse.map((_, k) => {
    const own = surrogate.coarse.flatMap(({ source }, index) => (source === k ? [surrogate.support[index]!] : []));
    return own.length === 0 ? null : Math.max(...own);
  });
  return { surrogate, support };
}

/**
 * The log evidence of the first fine run for a source that was run at its input: how near the outputs are, in standard deviations of those
 * of the source, if they are related and if they are not. null without such a run.
 */
function firstImpression({ cases, request, encoding }: Prepared, { history }: CoarseSource): number | null {
  const { n } = encoding;
  const m = request.goal.targets.length;
  const X = request.history.X.subarray(cases.rows[0]! * n, (cases.rows[0]! + 1) * n);
  const rows = Array.from({ length: history.count }, (_, i) => i).filter((i) => history.failed[i] === 0);
  const same = rows.find((i) => X.every((x, v) => x === history.X[i * n + v]));
  if (same === undefined || rows.length < LEAST_RUNS) return null;
  let sum = 0;
  for (let j = 0; j < m; j++) {
    const values = rows.map((i) => history.Y[i * m + j]!);
    const mean = values.reduce((total, y) => total + y / values.length, 0);
    const square = values.reduce((total, y) => total + (y - mean) ** 2 / (values.length - 1), 0);
    const away = (cases.Y[j]! - history.Y[same * m + j]!) ** 2;
    if (!(square > 0)) continue;
    const density = (sd: number) => -Math.log(sd) - away / square / (2 * sd ** 2);
    sum += density(RELATED_SD) - density(UNRELATED_SD);
  }
  return sum;
}

/** Inputs of the fine design, as it would be without sources, that are still to be run. */
function unseenOfFineDesign(prepared: Prepared): Float64Array[] {
  const { request, encoding, pending } = prepared;
  const { history, space, seed, goal } = request;
  const { n } = encoding;
  const known = history.count + pending.count;
  const { count, X } = initialDesign({ space, outputCount: goal.targets.length, caseCount: null, seed });
  if (known >= count) return [];
  const seen = makeSeen(prepared, joined(history.X, pending.X), known);
  const rows = Array.from({ length: count }, (_, i) => X.slice(i * n, (i + 1) * n));
  return rows.filter((x) => !seen.has(x)).slice(0, count - known);
}

/**
 * An input for a source that is not trusted yet: of a fine run, or of one to come, since models need some runs of the source.
 * null where it is to wait for a fine run, and where it is left alone.
 */
function nextProbe(
  prepared: Prepared,
  source: CoarseSource,
  support: number | null,
  design: readonly Float64Array[],
): Float64Array | null {
  const { history } = prepared.request;
  const { n } = prepared.encoding;
  // Models need a few runs, of a dear source too.
  const missing = Math.max(0, LEAST_RUNS - runsOf(source, n));
  const cost = spentOn(source, n) + Math.max(1, missing) * source.cost;
  if (cost > (missing > 0 ? FEW_RUNS : PROBE) + ROUNDING) return null;
  if (support !== null && support < HOPELESS) return null;
  const seen = seenBy(prepared, source);
  // Cases and runs of other objectives may lie where this one must not run anything.
  const fine = Array.from({ length: history.count }, (_, i) => history.X.slice(i * n, (i + 1) * n)).filter((x) =>
    mayBeProposed(prepared, x),
  );
  const next = [...fine.slice(0, FINE_PROBED), ...design].find((x) => !seen.has(x));
  if (next === undefined) return null;
  // The next fine run first, once there are runs enough for models.
  const isDue = runsOf(source, n) < LEAST_RUNS || next === design[0];
  return isDue || fine.some((x) => x === next) ? next : null;
}

/** The next input of the design of a trusted source. */
function nextOfOwnDesign(prepared: Prepared, source: CoarseSource, k: number): Float64Array | null {
  const { n } = prepared.encoding;
  const wanted = Math.min(
    Math.floor(DESIGN.cost / source.cost + 1e-9),
    DESIGN.perInput * movableCount(prepared.encoding),
  );
  return runsOf(source, n) < wanted ? farthest(prepared, source, k) : null;
}

/** All runs of a source, pending ones included. */
function runsOf({ history, pending }: CoarseSource, n: number): number {
  return history.count + (pending?.length ?? 0) / n;
}

/** The cost of what the search asked for, in fine runs. */
function spentOn(source: CoarseSource, n: number): number {
  return (runsOf(source, n) - (source.loaded ?? 0)) * source.cost;
}

function inputsOf(source: CoarseSource): Float64Array {
  return joined(source.history.X, source.pending ?? new Float64Array(0));
}

function seenBy(prepared: Prepared, source: CoarseSource): Seen {
  return makeSeen(prepared, inputsOf(source), runsOf(source, prepared.encoding.n));
}

/** The random input that is farthest from all inputs of a source. */
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
  return best && (prepared.conditions?.settled(best) ?? best);
}

/** The same input for a trusted source first, where that tells enough for its cost; null where it does not. */
export function coarseFirst(prepared: Prepared, proposal: Proposal): Candidate | null {
  const { request, encoding, cases } = prepared;
  const { coarse = [] } = request;
  if (coarse.length === 0 || proposal.kind !== 'candidate' || proposal.repeatOf !== undefined) return null;
  const { surrogate, support } = trustOf(prepared);
  if (surrogate === null) return null;
  const work = { spent: 0, limit: request.workLimit };
  const u = featuresOf(encoding, proposal.input);
  const predictor = new Predictor(surrogate, work);
  predictor.predict(u);
  const doubts = doubtsOf(surrogate, predictor, u, work);
  for (const [k, source] of coarse.entries()) {
    if (!isTrusted(support[k] ?? null)) continue;
    if (spentOn(source, encoding.n) + source.cost > DESIGN.cost + PER_FINE_RUN * (cases.N - 1)) continue;
    if ((doubts[k] ?? 0) < WORTH.doubt * Math.sqrt(source.cost)) continue;
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
    const { surrogate } = coarse[model]!;
    const sd = own[model]!.sigma[j]!;
    // Reduction of the variance by one more run, which its noise limits.
    const told = (Math.abs(rho) * sd ** 2) / Math.hypot(sd, Math.sqrt(noiseVariance(surrogate, j)));
    const theirs = Math.abs(rho) * sd;
    const rest = Math.sqrt(Math.max(0, predictor.sigma[j]! ** 2 - theirs ** 2));
    const margin = Number.isFinite(upper - lower) ? (upper - lower) / 2 : 0;
    const { source } = coarse[model]!;
    doubts[source] = Math.max(doubts[source]!, (WORTH.times * told) / Math.hypot(rest, margin));
  });
  return doubts;
}
