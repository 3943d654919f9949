import type { Acquisition } from '../acquisition/acquisition.ts';
import type { RandomStream } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import { decode, type Encoding, featuresOf, roundToInput } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import type { Seen } from '../space/seen.ts';
import { type Climbable, climb, drawerIn, holdDiscrete } from './box-newton.ts';
import { neighboursOf, pairNeighboursOf } from './discrete.ts';

const RANDOM_STARTS = 100;
const MEDIAN_POINTS = 30;
const NEWTON_STEPS = 25;
/** Promising points that are climbed. */
const PROMISING_STARTS = 6;
/** Steps of the second phase for every local maximum, before most of them are dropped. */
const TRIAL_STEPS = 6;
const DISCRETE_NEWTON_STEPS = 6;
const DISCRETE_ROUNDS = 8;
/**
 * The best random and the best evaluated points to start from, and the local maxima that are climbed beyond the trial
 * steps. Fewer in general lost a multimodal problem; with expensive evaluations, many outputs with models of their own and
 * many cases, fewer changed the runs of no problem.
 */
const EFFORT = {
  full: { random: 5, evaluated: 3, finalists: 3 },
  expensive: { random: 3, evaluated: 1, finalists: 2 },
};
/**
 * Inputs from which the discrete variables are searched, and changes of two of them that are tried. A trial is cheap
 * without floats that have to adapt.
 */
const DISCRETE_EFFORT = { withFloats: { starts: 3, pairs: 60 }, withoutFloats: { starts: 5, pairs: 200 } };
/** Points that differ by less in every feature are the same local maximum. */
const SAME = 1e-6;
/** Slack of the test whether discrete features lie in the box. */
const ROUNDING = 1e-9;

export interface Search {
  readonly encoding: Encoding;
  readonly acquisition: Climbable & Pick<Acquisition, 'm' | 'frozenFloor' | 'terms'>;
  /** Length m: the sigmas of the predictor behind the acquisition, filled by `evaluate`. */
  readonly sigma: Float64Array;
  readonly box: Box;
  readonly seen: Seen;
  /** Whether an input that has not been evaluated, with these features, repeats one that has been; absent: none does. */
  readonly isRedundant?: (u: Float64Array) => boolean;
  /** Features of evaluated points to start from, the best first. */
  readonly evaluated: readonly Float64Array[];
  /** Features of points that may be near the maximum; the best are climbed with the predicted spreads alone. */
  readonly promising?: readonly Float64Array[];
  /** Whether an evaluation of the acquisition costs so much that fewer starts must do. */
  readonly isExpensive: boolean;
  readonly random: RandomStream;
  readonly work: Work;
}

export interface Found {
  /** Length n, natural units. */
  readonly x: Float64Array;
  /** Acquisition at x. */
  readonly value: number;
  /** Its terms there, length m. */
  readonly terms: Float64Array;
  /** Whether an input with a larger acquisition repeats an evaluated one. */
  readonly isSecondBest?: boolean;
}

/** The best input found so far that repeats no evaluated one, and the largest acquisition of those that do. */
interface BestUnseen {
  found: Found | null;
  repeated: number;
}

/**
 * The admissible input with the largest acquisition, among those that repeat no evaluated one, that the starts lead to; null when
 * they all lead to evaluated inputs.
 *
 * Each start is climbed in two phases, which took 12.3 runs where one took 13.5: first with the spreads frozen at their
 * medians, which gives a wide basin, then with the predicted spreads. A second phase alone, from evaluated points where
 * sigma vanishes, stalls. After the trial steps of the second phase only the best few local maxima are climbed further,
 * which halves the cost and changes no run count. With discrete variables all of them are: rounding changes their order.
 */
export function maximizeAcquisition(search: Search): Found | null {
  const { encoding, acquisition, box, work } = search;
  const starts = [...climbFrozen(search), ...bestPromising(search)];
  const climbed = starts.map((u) => ({ u, value: climb(acquisition, u, null, box, TRIAL_STEPS, work) }));
  climbed.sort((a, b) => b.value - a.value);
  const hasDiscrete = encoding.discrete.includes(1);
  const refine = (u: Float64Array, rank: number) => {
    if (hasDiscrete || rank < effortOf(search).finalists)
      climb(acquisition, u, null, box, NEWTON_STEPS - TRIAL_STEPS, work);
  };
  return bestDecoded(
    search,
    climbed.map(({ u }) => u),
    refine,
  );
}

/**
 * The best admissible input that was not evaluated, of those that local maxima lead to.
 *
 * @param maxima features, changed in place
 * @param refine what happens to each before it is decoded
 */
export function bestDecoded(
  search: Search,
  maxima: readonly Float64Array[],
  refine: (u: Float64Array, rank: number) => void = () => {},
): Found | null {
  const best: BestUnseen = { found: null, repeated: Number.NEGATIVE_INFINITY };
  const found = maxima.map((u, rank) => {
    refine(u, rank);
    return decodeCandidate(search, u, best);
  });
  if (search.encoding.discrete.includes(1)) searchDiscrete(search, best, found);
  return best.found && best.repeated > best.found.value ? { ...best.found, isSecondBest: true } : best.found;
}

/** First phase: the distinct local maxima of the acquisition with frozen spreads. */
function climbFrozen(search: Search): Float64Array[] {
  const { acquisition, box, random, work } = search;
  const draw = drawerIn(box, random);
  const frozen = medianSpreads(search, draw);
  const maxima: Float64Array[] = [];
  for (const start of startPoints(search, frozen, draw)) {
    climb(acquisition, start, frozen, box, NEWTON_STEPS, work);
    if (!maxima.some((one) => isSame(one, start))) maxima.push(start);
    if (isSpent(work, 0.9)) break;
  }
  return maxima;
}

/** The best of the promising points by the acquisition with predicted spreads. */
function bestPromising({ acquisition, promising = [], work }: Search): Float64Array[] {
  const valued = promising.map((u) => ({ u, value: isSpent(work, 0.8) ? 0 : acquisition.evaluate(u, null) }));
  valued.sort((a, b) => b.value - a.value);
  return valued.slice(0, PROMISING_STARTS).map(({ u }) => u.slice());
}

/** True for the same local maximum, from which the second phase would take the same steps. */
function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, f) => Math.abs(value - b[f]!) < SAME);
}

/** Length m: the median sigma of each output over random points of the box, but at least the floor of its interval. */
function medianSpreads({ acquisition, sigma }: Search, draw: () => Float64Array): Float64Array {
  const samples = Array.from({ length: acquisition.m }, () => new Float64Array(MEDIAN_POINTS));
  for (let k = 0; k < MEDIAN_POINTS; k++) {
    acquisition.evaluate(draw(), null);
    for (let j = 0; j < acquisition.m; j++) samples[j]![k] = sigma[j]!;
  }
  return Float64Array.from(samples, (one, j) => Math.max(one.sort()[MEDIAN_POINTS >> 1]!, acquisition.frozenFloor[j]!));
}

function effortOf({ isExpensive }: Search): (typeof EFFORT)['full'] {
  return isExpensive ? EFFORT.expensive : EFFORT.full;
}

/** Features of the best evaluated points and of the best random ones by the acquisition with frozen spreads. */
function startPoints(search: Search, frozen: Float64Array, draw: () => Float64Array): Float64Array[] {
  const { acquisition, work } = search;
  const drawn: { u: Float64Array; value: number }[] = [];
  for (let k = 0; k < RANDOM_STARTS && !isSpent(work, 0.8); k++) {
    const u = draw();
    drawn.push({ u, value: acquisition.evaluate(u, frozen) });
  }
  drawn.sort((a, b) => b.value - a.value);
  const effort = effortOf(search);
  const evaluated = search.evaluated.slice(0, effort.evaluated).map((u) => u.slice());
  return [...evaluated, ...drawn.slice(0, effort.random).map((one) => one.u)];
}

/**
 * Decodes u (changed in place) to an admissible input and remembers it if it is the best that has not been evaluated. With
 * discrete variables, which decoding rounds, the floats adapt first.
 */
function decodeCandidate(search: Search, u: Float64Array, best: BestUnseen): Found {
  const { encoding, acquisition, box, seen, work } = search;
  const x = new Float64Array(encoding.n);
  if (!makeAdmissible(search, u, x)) return { x, value: Number.NEGATIVE_INFINITY, terms: acquisition.terms.slice() };
  if (encoding.discrete.includes(1)) {
    climb(acquisition, u, null, holdDiscrete(encoding, box, u), DISCRETE_NEWTON_STEPS, work);
    if (!makeAdmissible(search, u, x)) return { x, value: Number.NEGATIVE_INFINITY, terms: acquisition.terms.slice() };
  }
  const value = acquisition.evaluate(u, null);
  const found = { x, value, terms: acquisition.terms.slice() };
  if (value > (best.found?.value ?? Number.NEGATIVE_INFINITY) && !seen.has(x)) {
    if (search.isRedundant?.(u)) best.repeated = Math.max(best.repeated, value);
    else best.found = found;
  }
  return found;
}

/** Moves u to the nearest admissible input and writes that to x; false when the conditions leave none. */
function makeAdmissible({ encoding, box, random }: Search, u: Float64Array, x: Float64Array): boolean {
  if (box.conditions !== null) {
    const admissible = box.conditions.admissibleNear(u, random);
    if (admissible === null) return false;
    u.set(admissible);
    decode(encoding, u, x);
    return true;
  }
  roundToInput(encoding, u, x);
  return true;
}

/** Coordinate search over the discrete variables from the best inputs found, one per combination of their values. */
function searchDiscrete(search: Search, best: BestUnseen, found: readonly Found[]): void {
  const { encoding } = search;
  const ranked = found.slice().sort((a, b) => b.value - a.value);
  const starts = ranked.filter((one, i) => ranked.findIndex((other) => hasSameLevels(encoding, one.x, other.x)) === i);
  const hasFloats = encoding.discrete.some((one, v) => one === 0 && encoding.movable[v] === 1);
  const effort = hasFloats ? DISCRETE_EFFORT.withFloats : DISCRETE_EFFORT.withoutFloats;
  for (const start of starts.slice(0, effort.starts)) ascendDiscrete(search, best, start, effort.pairs);
}

/** True when the discrete variables of two inputs agree. */
function hasSameLevels({ discrete }: Encoding, a: Float64Array, b: Float64Array): boolean {
  return a.every((value, v) => discrete[v] === 0 || value === b[v]);
}

/** Ascends over the discrete variables: changes one at a time or, when no such change gains, two. */
function ascendDiscrete(search: Search, best: BestUnseen, start: Found, pairs: number): void {
  const { encoding, random, work } = search;
  let current = start;
  for (let round = 0; round < DISCRETE_ROUNDS && !isSpent(work, 1); round++) {
    const next =
      bestNeighbour(search, best, current, neighboursOf(encoding, current.x)) ??
      bestNeighbour(search, best, current, pairNeighboursOf(encoding, current.x, pairs, random));
    if (next === null) break;
    current = next;
  }
}

/** The best of the neighbours once their floats have adapted; null when none is better than the current input. */
function bestNeighbour(search: Search, best: BestUnseen, current: Found, neighbours: Float64Array[]): Found | null {
  const { encoding, box, work } = search;
  let next: Found | null = null;
  for (const x of neighbours) {
    if (isSpent(work, 1)) break;
    const u = featuresOf(encoding, x);
    if (!isInside(encoding, box, u)) continue;
    if (box.conditions !== null) {
      const admissible = box.conditions.admissibleWithLevelsOf(u);
      if (admissible === null) continue;
      u.set(admissible);
    }
    const found = decodeCandidate(search, u, best);
    if (found.value > (next ?? current).value) next = found;
  }
  return next;
}

/** True when the discrete features of u lie in the box, which a local search makes smaller than the space. */
function isInside(encoding: Encoding, box: Box, u: Float64Array): boolean {
  for (let f = 0; f < encoding.p; f++) {
    if (encoding.discrete[encoding.owner[f]!] === 0) continue;
    if (u[f]! < box.lower[f]! - ROUNDING || u[f]! > box.upper[f]! + ROUNDING) return false;
  }
  return true;
}
