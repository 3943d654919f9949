import type { FreeBox } from '../numerics/hypervolume.ts';
import type { Warp } from '../surrogate/warps.ts';
import { logImprovementBelow } from './expected-improvement.ts';
import type { LogTerm } from './interval-probability.ts';

/** One output of a front, with the model's change of its scale. */
export interface FrontOutput {
  /** Its number. */
  readonly j: number;
  /** 1 to minimize, -1 to maximize: a coordinate of the front is the sign times the output. */
  readonly sign: 1 | -1;
  readonly warp: Pick<Warp, 'toZ' | 'fromZ'>;
}

/** The slope of a warp below the front is taken over this many standard deviations of the data. */
const SLOPE_STEP = 1;

/** An end of boxes along one coordinate, signed z, with the log of the improvement expected below it. */
interface End extends LogTerm {
  readonly z: number;
}

/** An interval of boxes along one coordinate, with the log of the volume expected to be gained in it. */
interface Side extends LogTerm {
  /** Numbers of ends; -1 for minus infinity. */
  readonly lower: number;
  readonly upper: number;
  /** Log of coordinate units per z. */
  readonly logSlope: number;
}

interface Coordinate {
  readonly output: FrontOutput;
  readonly ends: readonly End[];
  readonly sides: readonly Side[];
}

/**
 * The log of the hypervolume that a run is expected to add to a front, and its derivatives.
 *
 * The boxes of what the front leaves free are disjoint, and the outputs independent, so the expected gain is a sum over the
 * boxes of products over the outputs: E[gain in (l, u]] = E[(u - y)+] - E[(l - y)+]. All in logarithms, so that it still
 * has a slope where a gain is hopeless. A warp is taken as linear along the side of a box.
 *
 * Source: Yang, Emmerich, Deutz, Bäck 2019, Journal of Global Optimization 75, for the sum; Ament et al. 2023 (arXiv
 * 2310.20708) for its logarithm.
 */
export class HypervolumeImprovement {
  readonly outputs: readonly number[];
  readonly #coordinates: readonly Coordinate[];
  /** Per box the numbers of its sides, one per coordinate. */
  readonly #boxes: readonly Int32Array[];
  /** Length of the boxes: logs of the expected gains. */
  readonly #gains: Float64Array;

  /** @param boxes in coordinates of the front, of `freeBoxes`; at least one */
  constructor(outputs: readonly FrontOutput[], boxes: readonly FreeBox[]) {
    this.outputs = outputs.map(({ j }) => j);
    const numbers = boxes.map(() => new Int32Array(outputs.length));
    this.#coordinates = outputs.map((output, c) => {
      const coordinate = { output, ends: [] as End[], sides: [] as Side[] };
      const known = new Map<string, number>();
      const endOf = new Map<number, number>();
      boxes.forEach(({ lower, upper }, b) => {
        const key = `${lower[c]} ${upper[c]}`;
        const side = known.get(key) ?? addSide(coordinate, endOf, lower[c]!, upper[c]!);
        known.set(key, side);
        numbers[b]![c] = side;
      });
      return coordinate;
    });
    this.#boxes = numbers;
    this.#gains = new Float64Array(boxes.length);
  }

  /**
   * The log of the expected gain. Adds the derivatives to `byMean`, `bySpread` and `curvature`, at the numbers of the outputs.
   *
   * @param mean length m, z
   * @param spreadOf standard deviation > 0 of an output, z
   */
  evaluate(
    mean: Float64Array,
    spreadOf: (j: number) => number,
    byMean: Float64Array,
    bySpread: Float64Array,
    curvature: Float64Array,
  ): number {
    for (const { output, ends, sides } of this.#coordinates) {
      const at = output.sign * mean[output.j]!;
      const spread = spreadOf(output.j);
      for (const end of ends) logImprovementBelow(at, spread, end.z, end);
      for (const side of sides) evaluateSide(side, ends);
    }
    const gains = this.#gains;
    let largest = Number.NEGATIVE_INFINITY;
    this.#boxes.forEach((numbers, b) => {
      let gain = 0;
      for (let c = 0; c < numbers.length; c++) gain += this.#coordinates[c]!.sides[numbers[c]!]!.value;
      gains[b] = gain;
      if (gain > largest) largest = gain;
    });
    let sum = 0;
    for (let b = 0; b < gains.length; b++) sum += Math.exp(gains[b]! - largest);
    this.#boxes.forEach((numbers, b) => {
      const share = Math.exp(gains[b]! - largest) / sum;
      if (share < 1e-12) return;
      for (let c = 0; c < numbers.length; c++) {
        const { output, sides } = this.#coordinates[c]!;
        const side = sides[numbers[c]!]!;
        byMean[output.j]! += share * output.sign * side.byMean;
        bySpread[output.j]! += share * side.bySpread;
        curvature[output.j]! += share * side.curvature;
      }
    });
    return largest + Math.log(sum);
  }
}

/** The number of the side from `lower` to `upper`, in units of the front, with its ends. */
function addSide(
  { output, ends, sides }: { readonly output: FrontOutput; readonly ends: End[]; readonly sides: Side[] },
  endOf: Map<number, number>,
  lower: number,
  upper: number,
): number {
  const { sign, warp } = output;
  const toZ = (t: number) => sign * warp.toZ(sign * t);
  const numberOf = (t: number) => {
    const known = endOf.get(t);
    if (known !== undefined) return known;
    endOf.set(t, ends.length);
    return ends.push({ z: toZ(t), value: 0, byMean: 0, bySpread: 0, curvature: 0 }) - 1;
  };
  const zUpper = toZ(upper);
  const isOpen = !Number.isFinite(toZ(lower));
  const zLower = isOpen ? zUpper - SLOPE_STEP : toZ(lower);
  const below = isOpen ? sign * warp.fromZ(sign * zLower) : lower;
  const slope = (upper - below) / (zUpper - zLower);
  const logSlope = Math.log(slope > 0 && Number.isFinite(slope) ? slope : Number.MIN_VALUE);
  const side = { lower: isOpen ? -1 : numberOf(lower), upper: numberOf(upper), logSlope };
  return sides.push({ ...side, value: 0, byMean: 0, bySpread: 0, curvature: 0 }) - 1;
}

/** The difference of the improvements below both ends of a side. */
function evaluateSide(side: Side, ends: readonly End[]): void {
  const upper = ends[side.upper]!;
  if (side.lower < 0) {
    side.value = upper.value + side.logSlope;
    side.byMean = upper.byMean;
    side.bySpread = upper.bySpread;
    side.curvature = upper.curvature;
    return;
  }
  const lower = ends[side.lower]!;
  const ratio = Math.min(1 - 1e-12, Math.exp(lower.value - upper.value));
  const rest = 1 - ratio;
  side.value = upper.value + Math.log(rest) + side.logSlope;
  side.byMean = (upper.byMean - ratio * lower.byMean) / rest;
  side.bySpread = (upper.bySpread - ratio * lower.bySpread) / rest;
  // Second derivatives by the mean, relative to the improvements: byMean^2 - curvature.
  const second = (upper.byMean ** 2 - upper.curvature - ratio * (lower.byMean ** 2 - lower.curvature)) / rest;
  side.curvature = Math.max(0, side.byMean ** 2 - second);
}
