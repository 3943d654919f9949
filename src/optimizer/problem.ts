/**
 * The border of the optimizer: plain data in, plain data out.
 *
 * Everything below `src/optimizer` is a deterministic function of the values declared here. There is no clock, no
 * I/O and no import from outside this folder, so the same stored history gives the same bytes in any process.
 *
 * Notation used by all files of this folder:
 *   N  cases with a usable output      n  input variables       m  outputs       p  encoded features (p >= n)
 *   X  N x n inputs, natural units     U  N x p encoded inputs  Y  N x m outputs
 *   K  N x N covariance                L  its Cholesky factor   ell  length scales   mu, sigma  prediction
 * Matrices are Float64Array in row-major order.
 */

/**
 * One input variable, closed bounds. `integer` takes whole numbers, `boolean` 0 or 1, `category` whole codes from
 * minimum to maximum without any order among them. A float may have minimum = maximum (a constant).
 */
export interface Variable {
  readonly kind: 'float' | 'integer' | 'boolean' | 'category';
  readonly minimum: number;
  readonly maximum: number;
}

export interface Space {
  readonly variables: readonly Variable[];
}

/**
 * The acceptance interval of one output. An output y is satisfied when lower <= y <= upper, with `<` in place of `<=`
 * at an open end. Infinite ends mean one-sided targets. `direction` tells which way improves further: for minimize the
 * interval is (-inf, aspiration], for maximize [aspiration, inf).
 */
export interface Target {
  readonly lower: number;
  readonly upper: number;
  readonly lowerOpen: boolean;
  readonly upperOpen: boolean;
  readonly direction: 'none' | 'minimize' | 'maximize';
}

/**
 * What is to be reached. Without `l1` every output must lie in its own interval. With it (objectives of type exact) the
 * verdict is on the vector: sum_j |y_j - center_j| <= threshold; the targets then hold intervals that are sufficient
 * but not necessary for that (center_j +- threshold / m).
 */
export interface Goal {
  readonly targets: readonly Target[];
  readonly l1: { readonly center: readonly number[]; readonly threshold: number } | null;
}

/** All evaluated cases in the order in which they became known: designed cases, the initial point, then the steps. */
export interface History {
  /** Number of rows. */
  readonly count: number;
  /** count x n, natural units. */
  readonly X: Float64Array;
  /** count x m; rows of failed runs hold anything and are never read. */
  readonly Y: Float64Array;
  /** count; 1 where the run failed. */
  readonly failed: Uint8Array;
}

export interface SuggestRequest {
  readonly space: Space;
  readonly goal: Goal;
  readonly history: History;
  /** Index of the first row of `history` that is a suggested step (rows before are cases and the initial point). */
  readonly firstSuggested: number;
  /** Convergence criterion of the objective, relative; below it an expected improvement counts as none. */
  readonly convergence: number;
  /** Unsigned 32-bit seed stored on the objective. */
  readonly seed: number;
  /**
   * Cap on the work of one suggestion in units of about one million floating point operations. Counted, never timed,
   * so that a slow machine gives the same answer. Past it the best suggestion found so far is returned.
   */
  readonly workLimit: number;
}

/** Why no new input is proposed. These are facts; what they mean for the objective is decided by the domain. */
export type NothingNew =
  /** Every point of a finite input space has been evaluated. */
  | 'space-used-up'
  /** The optimizer can only return to an input that was evaluated before. */
  | 'duplicate'
  /** minimize or maximize: the expected improvement stays below the convergence criterion. */
  | 'no-improvement-expected';

export type Proposal =
  | {
      readonly kind: 'candidate';
      /** Length n, natural units, inside the bounds, whole where the variable is; never an input of the history. */
      readonly input: Float64Array;
    }
  | {
      readonly kind: 'nothing-new';
      readonly reason: NothingNew;
      /** Row of the history that comes nearest to the goal; -1 when every run failed. */
      readonly bestIndex: number;
    };

export interface DesignRequest {
  readonly space: Space;
  /** Number of outputs when the client stated it, else null. */
  readonly outputCount: number | null;
  /** Number of cases the client asked for, else null: the design decides. */
  readonly caseCount: number | null;
  readonly seed: number;
}

/** What the data say about one output. */
export interface OutputInsight {
  /**
   * Quality of the surrogate on cases left out, those that lie close together being left out together: the share of the
   * variance predicted and the root mean square error, in output units. null with fewer than three places; of a constant
   * r2 is null and rmse 0.
   */
  readonly crossValidated: { readonly r2: number | null; readonly rmse: number | null };
  /**
   * Length n: share of the variance of the output that involves each input (total effect), over the whole box by the
   * surrogate. Interactions count for every input that takes part, so the sum may exceed 1. null where the cases do not
   * tell: too few for the inputs, a model that misses half of the variance, an output that never varied.
   */
  readonly sensitivity: readonly number[] | null;
  /** Length n, where each share may lie for all that the surrogate does not know, within [0, 1]; null likewise. */
  readonly sensitivityRanges: readonly { readonly low: number; readonly high: number }[] | null;
}

/** Evidence that the objectives cannot all be met. Finite numbers only. */
export interface Diagnosis {
  readonly nearestInput: readonly number[];
  readonly nearestOutput: readonly number[];
  /** Whether the nearest point was evaluated or is a prediction of the surrogate. */
  readonly nearestIs: 'evaluated' | 'predicted';
  /** Exact goals: the L1 norm there, which the threshold would have to allow. null for others. */
  readonly l1Norm: number | null;
  /**
   * Outputs not met there, with the distance from what satisfies them (of an exact goal: from the target), output units.
   * `isOutOfReachAlone` when an output could not even be met if all others were dropped.
   */
  readonly unmet: readonly {
    readonly output: number;
    readonly distance: number;
    readonly isOutOfReachAlone: boolean;
  }[];
  /** Pairs of outputs that can be met one by one but not together. */
  readonly conflicts: readonly (readonly [number, number])[];
}

/** Plain data, safe for JSON. */
export interface Explanation {
  /** One entry per output; null without a usable case. */
  readonly insight: readonly OutputInsight[] | null;
  /** null while nothing speaks against reaching all objectives. */
  readonly diagnosis: Diagnosis | null;
}
