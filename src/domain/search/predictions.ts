/** Questions that a client may ask of the models around a point. Limits keep an answer quick, and short enough to be kept. */
import type { PredictionsQuestion } from '../../optimizer/interface/insights.ts';
import { makeViolation, type Violation } from '../errors.ts';

/** Absent fields have defaults: all inputs, all outputs, and as many points as are useful and allowed. */
export interface SentPredictions {
  readonly at?: readonly number[] | undefined;
  readonly inputs?: readonly number[] | undefined;
  readonly outputs?: readonly number[] | undefined;
  readonly points: number | null;
  /** One grid of two inputs instead of a slice along each. */
  readonly isGrid: boolean;
}

/** Points times outputs of an answer, all slices together. */
export const MOST_PREDICTIONS = 10_000;
/** Per input. */
export const MOST_POINTS = { slice: 201, grid: 51 };
const USEFUL_POINTS = { slice: 41, grid: 31 };

interface Counts {
  readonly inputCount: number;
  readonly outputCount: number;
}

export function checkPredictions(sent: SentPredictions, { inputCount, outputCount }: Counts): readonly Violation[] {
  const { at, inputs, outputs, points, isGrid } = sent;
  const most = MOST_POINTS[kindOf(sent)];
  return [
    ...(at && (at.length !== inputCount || !at.every(Number.isFinite))
      ? [makeViolation(['at'], `must have ${inputCount} finite numbers, one per input.`)]
      : []),
    ...checkNumbers('inputs', inputs, inputCount),
    ...checkNumbers('outputs', outputs, outputCount),
    ...(isGrid && inputs?.length !== 2
      ? [makeViolation(['inputs'], 'must have two numbers for a grid, such as 0,1.')]
      : []),
    ...(points !== null && points > most
      ? [makeViolation(['points'], `must be at most ${most} for a ${kindOf(sent)}.`)]
      : []),
    ...checkAmount(sent, { inputCount, outputCount }),
  ];
}

function kindOf({ isGrid }: SentPredictions): 'slice' | 'grid' {
  return isGrid ? 'grid' : 'slice';
}

function checkNumbers(field: string, numbers: readonly number[] | undefined, count: number): readonly Violation[] {
  if (numbers === undefined) return [];
  if (new Set(numbers).size < numbers.length) return [makeViolation([field], 'must not name one twice.')];
  if (numbers.every((number) => number < count)) return [];
  return [makeViolation([field], `must be numbers from 0 to ${count - 1}.`)];
}

/** Predictions of one point per input; of a grid of one point. */
function predictionsPerPoint({ inputs, outputs, isGrid }: SentPredictions, { inputCount, outputCount }: Counts) {
  return (isGrid ? 1 : (inputs?.length ?? inputCount)) * (outputs?.length ?? outputCount);
}

/** Per input, within the limit. */
function allowedPoints(sent: SentPredictions, counts: Counts): number {
  const allowed = MOST_PREDICTIONS / predictionsPerPoint(sent, counts);
  // A slice has the value of its point as well.
  return Math.floor(sent.isGrid ? Math.sqrt(allowed) : allowed - 1);
}

function checkAmount(sent: SentPredictions, counts: Counts): readonly Violation[] {
  const allowed = allowedPoints(sent, counts);
  if (allowed >= Math.min(sent.points ?? 2, MOST_POINTS[kindOf(sent)])) return [];
  const advice = `asks for more than ${MOST_PREDICTIONS} predictions (points times outputs).`;
  const fewer = sent.isGrid ? 'fewer points or outputs' : 'fewer points, inputs or outputs';
  return [makeViolation(['points'], `${advice} Ask for ${fewer}.`)];
}

/** Question of a checked request. @param at stands for a point that was not sent */
export function toPredictionsQuestion(
  sent: SentPredictions,
  at: readonly number[],
  counts: Counts,
): PredictionsQuestion {
  const inputs = sent.inputs ?? Array.from({ length: counts.inputCount }, (_, v) => v);
  return {
    at: sent.at ?? at,
    surfaces: sent.isGrid ? [inputs] : inputs.map((v) => [v]),
    outputs: sent.outputs ?? Array.from({ length: counts.outputCount }, (_, j) => j),
    points: sent.points ?? Math.min(USEFUL_POINTS[kindOf(sent)], allowedPoints(sent, counts)),
  };
}
