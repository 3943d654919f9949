import { byLoss } from './goal/targets.ts';
import { combinationsOf } from './identifiability/combinations.ts';
import { type Ends, type Held, Profiles } from './identifiability/profile.ts';
import type { Identifiability, InputRange, ValueRange } from './interface/insights.ts';
import type { SuggestRequest } from './interface/problem.ts';
import type { Work } from './numerics/work.ts';
import { type Prepared, prepare } from './search/prepare.ts';
import {
  type Encoding,
  featuresOf,
  levelAt,
  levelCount,
  movableCount,
  nearestLevel,
  numberOf,
  roundToInput,
} from './space/encoding.ts';
import type { Box } from './space/search-space.ts';
import { makeSeen } from './space/seen.ts';
import { Predictor } from './surrogate/predictor.ts';
import { applySecantCorrection } from './surrogate/secant-correction.ts';

/**
 * Factor on the spreads of the models with k cases beyond half the number of inputs: the limit for large k, and what is added
 * for small k, divided by k^3. Early models are overconfident by a factor of 3 to 10.
 */
const DOUBT = { many: 2, few: 500 };
/** The best cases from which the best input is sought. */
const STARTS = 5;
/** A number with fewer values does not adapt but keeps its value, as booleans and categories do. */
const FEW_LEVELS = 10;
/** A range that is open by a smaller share of the bounds is not worth a run. */
const WORTH_A_RUN = 0.01;

/**
 * Reports what meeting the targets of a request tells about the inputs; null while the models see no input that surely
 * meets them.
 *
 * A pure function, like `suggest`, and throws as it does; also for a confidence outside of 0.5 to 0.999.
 */
export function identifiability(request: SuggestRequest, confidence = 0.9): Identifiability | null {
  if (!(confidence >= 0.5 && confidence <= 0.999)) throw new RangeError('confidence must be from 0.5 to 0.999');
  const prepared = prepare(request);
  const { encoding, cases, conditions } = prepared;
  if (cases.N === 0) return null;
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = prepared.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  const beyond = Math.max(1, cases.N - movableCount(encoding) / 2);
  predictor.scaleSigmas(DOUBT.many + DOUBT.few / beyond ** 3);
  const ranked = Array.from(cases.loss.keys()).sort(byLoss(cases.loss));
  const center = ranked[0]!;
  applySecantCorrection(surrogate, predictor, rowOf(prepared, surrogate.geometry.U, center));
  const profiles = new Profiles(prepared, surrogate, predictor, work);
  const whole: Box = { lower: encoding.lower, upper: encoding.upper, conditions };
  const starts = ranked.slice(0, STARTS).map((i) => cases.U.slice(i * encoding.p, (i + 1) * encoding.p));
  const best = starts
    .map((u) => profiles.climbFrom(u, heldAt(encoding, whole, u, [])))
    .reduce((one, other) => (other.probability > one.probability ? other : one));
  if (best.probability < confidence) return null;
  const numbers = numbersOf(encoding);
  const held = [best, ...profiles.scatter(heldAt(encoding, whole, best.u, numbers))];
  const profiled = encoding.variables.map((_, v) => profile(encoding, profiles, held, confidence, whole, v, numbers));
  return {
    confidence,
    best: Array.from(inputAt(encoding, best.u)),
    ranges: profiled.map(({ range }) => range),
    combinations: combinationsOf(
      encoding,
      { surrogate, predictor, profiles },
      best,
      confidence,
      heldAt(encoding, whole, best.u, numbers),
      numbers,
    ),
    next: nextRun(prepared, profiles, best, whole, profiled, numbers),
  };
}

/** The row of the fit that holds case i, which the best case always has. */
function rowOf({ encoding: { p }, cases }: Prepared, U: Float64Array, i: number): number {
  for (let row = 0; row * p < U.length; row++) {
    if (cases.U.subarray(i * p, (i + 1) * p).every((value, f) => value === U[row * p + f])) return row;
  }
  return 0;
}

/** The inputs with a range: numbers that may move. */
function numbersOf({ variables, movable }: Encoding): number[] {
  return Array.from(variables.keys()).filter((v) => {
    const { kind, fixedAt } = variables[v]!;
    return movable[v] === 1 && fixedAt === undefined && (kind === 'float' || kind === 'integer');
  });
}

/** The box with discrete inputs held at u, except numbers with many values and the inputs `released`. */
function heldAt(encoding: Encoding, box: Box, u: Float64Array, released: readonly number[]): Box {
  const isFree = (f: number) => {
    const v = encoding.owner[f]!;
    const variable = encoding.variables[v]!;
    if (encoding.discrete[v] === 0 || released.includes(v)) return true;
    return (variable.kind === 'float' || variable.kind === 'integer') && levelCount(variable) >= FEW_LEVELS;
  };
  const hold = (ends: Float64Array) => ends.map((end, f) => (isFree(f) ? end : u[f]!));
  return { lower: hold(box.lower), upper: hold(box.upper), conditions: box.conditions };
}

interface Profile {
  readonly range: InputRange;
  /** Ends at the confidence and at its complement; null for codes. */
  readonly fits: Ends | null;
  readonly possible: Ends | null;
}

function profile(
  encoding: Encoding,
  profiles: Profiles,
  held: readonly Held[],
  confidence: number,
  whole: Box,
  v: number,
  numbers: readonly number[],
): Profile {
  const best = held[0]!;
  if (!numbers.includes(v)) return profileOfCodes(encoding, profiles, best, confidence, whole, v);
  const f = encoding.first[v]!;
  const box = heldAt(encoding, whole, best.u, [v]);
  const sure = { measure: 'probability', value: confidence } as const;
  const fits = profiles.endsOf(f, held, sure, box);
  const plausible = { measure: 'plausibility', value: 1 - confidence } as const;
  const possible = widest(f, fits, profiles.endsOf(f, held, plausible, box));
  const alone = { lower: best.u.slice(), upper: best.u.slice(), conditions: whole.conditions };
  [alone.lower[f], alone.upper[f]] = [whole.lower[f]!, whole.upper[f]!];
  const share = ({ low, high }: Ends) => (high.u[f]! - low.u[f]!) / 2;
  const range: InputRange = {
    kind: 'range',
    fits: valuesOf(encoding, v, fits),
    gaps: gapsOf(encoding, v, profiles.gapsBetween(f, fits, held, plausible, box)),
    possible: valuesOf(encoding, v, possible),
    alone: valuesOf(encoding, v, profiles.endsOf(f, [best], sure, alone)),
    shares: { fits: share(fits), possible: share(possible) },
  };
  return { range, fits, possible };
}

/** Widens the possible range to include the sure one: an input that is sure is also possible. */
function widest(f: number, fits: Ends, possible: Ends): Ends {
  return {
    low: possible.low.u[f]! < fits.low.u[f]! ? possible.low : fits.low,
    high: possible.high.u[f]! > fits.high.u[f]! ? possible.high : fits.high,
  };
}

/** The values of a number between two ends; of a discrete one those inside. */
function valuesOf(encoding: Encoding, v: number, { low, high }: Ends): ValueRange {
  const f = encoding.first[v]!;
  const variable = encoding.variables[v]!;
  const [from, to] = [numberOf(encoding, v, low.u[f]!), numberOf(encoding, v, high.u[f]!)];
  if (encoding.discrete[v] === 0) return { low: from, high: to };
  const [first, last] = [nearestLevel(variable, from), nearestLevel(variable, to)];
  const least = levelAt(variable, levelAt(variable, first) < from && first < last ? first + 1 : first);
  const most = levelAt(variable, levelAt(variable, last) > to && last > first ? last - 1 : last);
  return { low: Math.min(least, most), high: Math.max(least, most) };
}

/** The values between the edges of gaps; of a discrete input only those gaps that skip some. */
function gapsOf(encoding: Encoding, v: number, gaps: readonly [number, number][]): ValueRange[] {
  const variable = encoding.variables[v]!;
  return gaps.flatMap(([low, high]) => {
    const [from, to] = [numberOf(encoding, v, low), numberOf(encoding, v, high)];
    if (encoding.discrete[v] === 0) return { low: from, high: to };
    const [first, last] = [nearestLevel(variable, from) + 1, nearestLevel(variable, to) - 1];
    return first > last ? [] : { low: levelAt(variable, first), high: levelAt(variable, last) };
  });
}

/** Booleans, categories and inputs with one value: each of their codes. */
function profileOfCodes(
  encoding: Encoding,
  profiles: Profiles,
  best: Held,
  confidence: number,
  whole: Box,
  v: number,
): Profile {
  const x = inputAt(encoding, best.u);
  const variable = encoding.variables[v]!;
  const isOpen = encoding.movable[v] === 1 && variable.fixedAt === undefined;
  const codes = isOpen ? Array.from({ length: levelCount(variable) }, (_, k) => levelAt(variable, k)) : [x[v]!];
  const judged = codes.map((code) => {
    const u = featuresOf(encoding, x.with(v, code));
    const box = heldAt(encoding, whole, u, []);
    return { code, sure: profiles.climbFrom(u, box), possible: profiles.climbFrom(u, box, 'plausibility') };
  });
  const fits = judged.filter(({ sure }) => sure.probability >= confidence);
  const possible = judged.filter((one) => fits.includes(one) || one.possible.plausibility >= 1 - confidence);
  const codesOf = (list: typeof judged) => list.map(({ code }) => code);
  return { range: { kind: 'codes', fits: codesOf(fits), possible: codesOf(possible) }, fits: null, possible: null };
}

function inputAt(encoding: Encoding, u: Float64Array): Float64Array {
  const x = new Float64Array(encoding.n);
  roundToInput(encoding, u.slice(), x);
  return x;
}

/** The middle of the widest part of a range of which it is open whether the targets hold, with the others adapted. */
function nextRun(
  prepared: Prepared,
  profiles: Profiles,
  best: Held,
  whole: Box,
  profiled: readonly Profile[],
  numbers: readonly number[],
): Identifiability['next'] {
  const { encoding, request, conditions } = prepared;
  const seen = makeSeen(prepared, request.history.X, request.history.count);
  const open = numbers.flatMap((v) => {
    const { fits, possible } = profiled[v]!;
    const f = encoding.first[v]!;
    return (['low', 'high'] as const).map((side) => ({ v, f, from: fits![side], to: possible![side] }));
  });
  open.sort((a, b) => Math.abs(b.to.u[b.f]! - b.from.u[b.f]!) - Math.abs(a.to.u[a.f]! - a.from.u[a.f]!));
  for (const { v, f, from, to } of open) {
    if (Math.abs(to.u[f]! - from.u[f]!) / 2 < WORTH_A_RUN) return null;
    const middle = from.u.map((value, g) => (value + to.u[g]!) / 2);
    const { u } = profiles.pinned(middle, f, middle[f]!, heldAt(encoding, whole, best.u, [v]));
    const decoded = inputAt(encoding, u);
    if (seen.has(decoded) || conditions?.admits(decoded) === false) continue;
    const at = conditions?.settled(decoded) ?? decoded;
    const ends = [numberOf(encoding, v, from.u[f]!), numberOf(encoding, v, to.u[f]!)];
    return { at: Array.from(at), input: v, open: { low: Math.min(...ends), high: Math.max(...ends) } };
  }
  return null;
}
