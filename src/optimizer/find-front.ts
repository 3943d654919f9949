import { nonDominated } from '../numbers/pareto.ts';
import { intervalAims } from './acquisition/acquisition.ts';
import { feasibleCases, frontOf, type OpenOutput, openOutputs, pointsOf, referenceOf } from './goal/front.ts';
import type { FrontReport, PredictedPoint } from './interface/insights.ts';
import type { SuggestRequest } from './interface/problem.ts';
import { hypervolume } from './numerics/hypervolume.ts';
import { makeRandom } from './numerics/random.ts';
import { isSpent, type Work } from './numerics/work.ts';
import { makeForecaster } from './search/forecast.ts';
import { gainOn, startsNear } from './search/front-aim.ts';
import { type Prepared, prepare } from './search/prepare.ts';

/** The most points predicted. */
const PREDICTED = 20;
/** Predicted points are sought where the models expect them rather than where they know little. */
const TRUST = 0.1;

/**
 * Reports what is known of the front of a goal with outputs without aspiration, and what the models expect of it.
 *
 * A pure function of the request; throws as `suggest` does.
 */
export function findFront(request: SuggestRequest): FrontReport {
  const prepared = prepare(request);
  const { cases } = prepared;
  const open = openOutputs(request.goal);
  const outputs = open.map(({ j }) => j);
  const { rows, points } = frontOf(cases, open);
  if (rows.length === 0 || open.length === 0)
    return {
      rows: [],
      outputs,
      hypervolume: null,
      hypervolumes: new Array<number>(request.history.count).fill(0),
      reference: null,
      ideal: null,
      predicted: [],
    };
  const inUnits = (point: readonly number[]) => point.map((value, c) => open[c]!.sign * value);
  const reference = referenceOf(open, points, pointsOf(open, cases.Y, cases.intervals.length));
  const ideal = reference.map((_, c) => Math.min(...points.map((point) => point[c]!)));
  return {
    rows: rows.map((row) => cases.rows[row]!),
    outputs,
    hypervolume: hypervolume(points, reference),
    hypervolumes: hypervolumesOf(prepared, open, reference),
    reference: inUnits(reference),
    ideal: inUnits(ideal),
    predicted: predictedFront(prepared, open, rows, points, reference),
  };
}

/** One per row of the history. */
function hypervolumesOf(
  { request, cases }: Prepared,
  open: readonly OpenOutput[],
  reference: readonly number[],
): number[] {
  const all = pointsOf(open, cases.Y, cases.intervals.length);
  const pointAt = new Map(feasibleCases(cases).map((i) => [cases.rows[i]!, all[i]!]));
  let front: (readonly number[])[] = [];
  let volume = 0;
  return Array.from({ length: request.history.count }, (_, row) => {
    const point = pointAt.get(row);
    if (point === undefined || front.some((one) => one.every((value, c) => value <= point[c]!))) return volume;
    front = [...front.filter((one) => one.some((value, c) => value < point[c]!)), point];
    return (volume = hypervolume(front, reference));
  });
}

/** Points that add most to the front one after the other, as if each had come out as predicted. */
function predictedFront(
  prepared: Prepared,
  open: readonly OpenOutput[],
  rows: readonly number[],
  points: readonly (readonly number[])[],
  reference: readonly number[],
): PredictedPoint[] {
  const { request, cases } = prepared;
  const work: Work = { spent: 0, limit: request.workLimit };
  const forecaster = makeForecaster(prepared, work);
  const random = makeRandom(request.seed, 15, request.history.count);
  const front = points.slice();
  const found: { readonly point: PredictedPoint; readonly at: number[] }[] = [];
  while (found.length < PREDICTED && !isSpent(work, 0.9)) {
    const gain = gainOn(forecaster.surrogate, open, front, reference);
    if (!gain) break;
    forecaster.predictor.scaleSigmas(TRUST);
    const known = Float64Array.from(found.flatMap(({ point }) => point.input));
    const starts = startsNear(prepared, rows, random);
    const next = forecaster.maximize({ aims: intervalAims(cases.intervals), gain, known, starts });
    forecaster.predictor.scaleSigmas(1);
    const point = next && forecaster.predictedAt(next.x);
    if (!point) break;
    const at = open.map(({ j, sign }) => sign * point.output[j]!);
    found.push({ point, at });
    front.push(at);
  }
  const best = new Set(nonDominated([...points, ...found.map(({ at }) => at)]));
  return found.filter((_, k) => best.has(points.length + k)).map(({ point }) => point);
}
