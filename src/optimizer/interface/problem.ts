/**
 * The interface of the optimizer: plain data in, plain data out.
 *
 * Everything below `src/optimizer` is a deterministic function of the values declared here: no clock, no I/O, no import
 * from outside this folder but of `src/numbers`. The same stored history therefore gives the same bytes in any process.
 *
 * Notation of all files in this folder:
 *   N  cases with a usable output      n  input variables       m  outputs       p  encoded features (p >= n)
 *   X  N x n inputs, natural units     U  N x p encoded inputs  Y  N x m outputs
 *   x, u, y  one row of X, U, Y        z  an output, warped and standardized
 *   K  N x N covariance                L  its Cholesky factor   ell  length scales   mu, sigma  prediction
 * Matrices are Float64Arrays in row-major order.
 */

import type { Condition, Expression, FunctionName, Operator } from '../../numbers/conditions.ts';
import type { FitGoal } from '../../numbers/misfit.ts';

/**
 * One input variable with closed bounds. `integer` takes whole numbers, `boolean` 0 or 1, `category` whole codes from
 * minimum to maximum, which have no order. A float with minimum = maximum is a constant.
 */
export interface Variable {
  readonly kind: 'float' | 'integer' | 'boolean' | 'category';
  readonly minimum: number;
  readonly maximum: number;
  /** Whether a number varies by factors rather than by differences; its minimum is then positive. */
  readonly isLogarithmic?: boolean;
  /** A number takes minimum + k step only; not with `levels`. */
  readonly step?: number;
  /** The only values of a number, ascending, from minimum to maximum. */
  readonly levels?: readonly number[];
  /**
   * A range of a number, inside the bounds, in which the solution probably lies. The design and the first suggestions stay
   * there; the search widens when it stalls.
   */
  readonly likely?: { readonly minimum: number; readonly maximum: number };
  /** The value that every suggestion has; cases with other values still inform the models. */
  readonly fixedAt?: number;
}

export type { Condition, Expression, FunctionName, Operator };

export interface Space {
  readonly variables: readonly Variable[];
  /** Conditions that every designed and suggested input satisfies; cases in the history need not. Absent: nothing but the bounds. */
  readonly conditions?: readonly Condition[];
  /** An input, length n, that satisfies the conditions, for a search that would not find one by itself. */
  readonly feasibleInput?: readonly number[];
}

/**
 * The acceptance interval of one output y: lower <= y <= upper, with `<` at an open end. A one-sided target has an infinite
 * end. `direction` says which way y improves further: the interval is (-inf, aspiration] for minimize and
 * [aspiration, inf) for maximize. A direction with two infinite ends has no aspiration: with such an output the search is for
 * the front of the runs within all other intervals that none beats in every output without aspiration.
 */
export interface Target {
  readonly lower: number;
  readonly upper: number;
  readonly lowerOpen: boolean;
  readonly upperOpen: boolean;
  readonly direction: 'none' | 'minimize' | 'maximize';
  /** For an output without aspiration: values worse than this count nothing on the front. Absent: follows from the runs. */
  readonly reference?: number;
  /** The aspiration of an output alone that nobody stated: it moves with the best value. Nothing but `withOneDirection` sets it. */
  readonly isUnstated?: boolean;
  /** For an output that is to come near to a value, which is both ends: its standard error. Nothing but `withResiduals` states it. */
  readonly sigma?: number;
}

/**
 * The goal of the search. Without `l1` every output must lie in its own interval. With it, for objectives of type
 * exact, the whole vector is judged: sum_j |y_j - center_j| <= threshold; the targets then hold intervals that are
 * sufficient for that, but not necessary: center_j +- threshold / m.
 */
export interface Goal {
  readonly targets: readonly Target[];
  readonly l1: { readonly center: readonly number[]; readonly threshold: number } | null;
  /** Length m, positive: how much each output counts in the search; 1 each unless stated. What reaches the goal does not depend on it. */
  readonly weights?: readonly number[];
  /** Length m: until some case meets all outputs with smaller numbers, an output hardly counts. Equal unless stated. */
  readonly priorities?: readonly number[];
  /**
   * Data sets that the outputs are to come near to: among the runs that meet all targets the search seeks the least misfit. The
   * targets of their outputs have infinite ends, as have those of outputs that count nothing.
   */
  readonly fits?: readonly FitGoal[];
  /** With `fits`: outputs that count nothing have models as well. */
  readonly predictsAll?: boolean;
}

/** All evaluated cases in the order in which they became known: loaded cases, the initial point, then inverses. */
export interface History {
  /** Number of rows. */
  readonly count: number;
  /** count x n, natural units. */
  readonly X: Float64Array;
  /** count x m; the rows of failed runs are never read. */
  readonly Y: Float64Array;
  /** Length count: 1 where the run failed. */
  readonly failed: Uint8Array;
  /**
   * count x m x n: the derivative of each output by each input at the input of the row, output units per input unit; NaN where it is
   * not known. Absent: none is.
   */
  readonly jacobian?: Float64Array;
}

/** A cheaper source of the outputs, such as a coarse mesh: near to the fine source or not, which its runs tell. */
export interface CoarseSource {
  /** Cost of one run, in runs of the fine source; positive. */
  readonly cost: number;
  /** Its runs. Nothing that counts or ends a search looks at them. */
  readonly history: History;
  /** Number of its first runs that were known before the search, and cost it nothing. Absent: none. */
  readonly loaded?: number;
  /** Its inputs handed out whose outputs are not known yet: k x n, natural units. Absent or empty: none. */
  readonly pending?: Float64Array;
}

/** Knowledge and requests about runs that differ from repeat to repeat. The search may then propose an input again. */
export interface Noise {
  /**
   * Length m, output units, finite, >= 0: the standard deviation of each output between runs at one input. null: estimated
   * from the repeats and by the models.
   */
  readonly standardDeviations: readonly number[] | null;
  /** The criterion that ends the search in place of one run that meets the targets; null: such a run ends it. */
  readonly asked:
    | null
    /** The probability, between 0 and 1, that a fresh run, or the mean of the runs, at one input meets all targets. */
    | { readonly kind: 'confidence'; readonly least: number; readonly of: 'run' | 'mean' }
    /** The mean of so many runs at one input meets all targets. */
    | { readonly kind: 'confirm'; readonly runs: number };
}

/**
 * Rule that ends a search although inputs are left to try. An improvement is a better value of an output to minimize or
 * maximize or, where there is none and while the other outputs are not met, a smaller miss.
 */
export interface StopRule {
  /**
   * Suggestions in a row without an improvement. Absent: by evidence that outputs to minimize or maximize improve no further, or that the
   * targets cannot all be met and the best compromise is found.
   */
  readonly patience?: number;
  /**
   * The largest improvement that counts as none: a share of the scale of the output, or of the miss. Of a fit: the reduction of
   * chi-square, where one is what a standard error of one parameter makes.
   */
  readonly improvementBelow: number;
}

/** Evidence with which a stop rule ends a search. */
export interface Standstill {
  /** Suggestions since the last improvement. */
  readonly quiet: number;
  /** The largest improvement that the models expect of any input, in the unit of `improvementBelow`; null when not asked. */
  readonly expectedGain: number | null;
}

/** A search for several solutions that differ. */
export interface Solutions {
  /** k x n, natural units: the inputs found so far that meet every target, in the order in which they were found. */
  readonly found: Float64Array;
  /**
   * Least distance between two solutions, relative to the diagonal of the box: the range of a number counts 1, and so does a
   * change of a category. Suggestions keep this distance from those found.
   */
  readonly apart: number;
}

export interface SuggestRequest {
  readonly space: Space;
  readonly goal: Goal;
  readonly history: History;
  /** Index of the first suggested row of `history`; the rows before it are loaded cases and the initial point. */
  readonly firstSuggested: number;
  /**
   * Index of the first row that belongs to this search. The rows before it, made for other targets, inform the models but do
   * not count as attempts that failed to come nearer. 0 unless stated.
   */
  readonly firstOwn?: number;
  /**
   * Inputs handed out whose outputs are not known yet: k x n, natural units, in the order of their iterations. The models
   * imagine their outputs. Absent or empty: none.
   */
  readonly pending?: Float64Array;
  /** Absent: equal inputs have equal outputs as far as is known, and none is proposed twice. */
  readonly noise?: Noise;
  /** Cheaper sources than the one of `history`. Absent or empty: none. */
  readonly coarse?: readonly CoarseSource[];
  /** Further search once a run meets the goal, for an input that meets it more surely. Absent: none. */
  readonly robustAim?: RobustAim;
  /** Absent: the first solution ends the search. */
  readonly solutions?: Solutions;
  /** Relative convergence criterion of the objective: a smaller expected improvement counts as none. */
  readonly convergence: number;
  /** Absent: the search ends only when it finds nothing new. The rule changes no proposal but the last. */
  readonly stop?: StopRule;
  /** Unsigned 32-bit seed of the objective. */
  readonly seed: number;
  /**
   * Limit of the work of one suggestion, in units of about one million floating point operations. Work is counted, not
   * timed, so that a slow machine gives the same answer. At the limit the best input found so far is returned.
   */
  readonly workLimit: number;
}

/**
 * Reason why no new input is proposed. The domain decides what this fact means for the objective. While inputs are
 * pending it means "not now": their outputs may change it.
 */
export type NothingNew =
  /** Every point of a finite input space has been evaluated or is pending. */
  | 'space-used-up'
  /** The optimizer finds only inputs that have been evaluated or are pending. */
  | 'duplicate'
  /** minimize or maximize: the expected improvement stays below the convergence criterion. */
  | 'no-improvement-expected'
  /** The stop rule of the request ends the search. */
  | 'standstill'
  /** The same, because the targets cannot all be met and the best compromise is found. */
  | 'out-of-reach'
  /** The input of `standing` meets the targets as surely as `noise` asks. */
  | 'reached'
  /** robustAim: it is reached, its runs are used, or no run promises a surer input. The best row is the surest one. */
  | 'robust'
  /** A fit: the models expect no noticeable reduction of the misfit. */
  | 'fitted'
  /** Several solutions: many suggestions since the last one led to no further one. */
  | 'no-further-solution';

/** A probability and the range in which it lies, with a probability of 0.8, given what is not known about the noise and the mean. */
export interface UncertainProbability {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Certainty that one evaluated input meets all targets. */
export interface Standing {
  /** Row of the history with the first run at the input. */
  readonly row: number;
  /** Runs at the input, failed ones included. */
  readonly runs: number;
  /** That the outputs of a fresh run do, and that the means of the outputs do. */
  readonly run: UncertainProbability;
  readonly mean: UncertainProbability;
}

export type Proposal =
  | {
      readonly kind: 'candidate';
      /** Length n, natural units, within the bounds, whole where the variable is; neither in the history nor pending unless it is a repeat. */
      readonly input: Float64Array;
      /** Row of the history with the first run at this input, which is to be run again; absent for a new input. */
      readonly repeatOf?: number;
      /** Index into `coarse` of the source to run; absent for the fine one. */
      readonly source?: number;
      /** robustAim: the row that meets the goal most surely as far as is known; absent while none of the search does. */
      readonly surestIndex?: number;
      /** The input that comes nearest to what is asked; absent where `noise` asks nothing, and before a run succeeded. */
      readonly standing?: Standing;
      /**
       * Length 2m, output units, finite: the lower, then the upper ends of what the models expect of each output at this
       * input. A value outside deserves a second look. An end that they leave open is the largest double of its sign; null
       * while they know next to nothing.
       */
      readonly expected: Float64Array | null;
      /**
       * From 0 to 1: how likely the models hold it that the run at this input reaches the goal. It ranks inputs and is not
       * calibrated. null without a model, where an output is to be minimized or maximized, and where `noise` asks for more
       * than one run.
       */
      readonly chance: number | null;
    }
  | {
      readonly kind: 'nothing-new';
      /** As for a candidate. */
      readonly standing?: Standing;
      readonly reason: NothingNew;
      /** Row of the history that comes nearest to the goal, or reached it; -1 when every run failed. */
      readonly bestIndex: number;
      /** Set for the reasons standstill, out-of-reach and fitted. */
      readonly standstill?: Standstill;
    };

/** Part of a space that its conditions leave, or the reason why they leave nothing. */
export type RegionReport =
  | {
      readonly kind: 'open';
      /** One per condition. */
      readonly conditionKinds: readonly ('linear' | 'equation' | 'curved')[];
      /** An admissible input well inside, length n. */
      readonly interior: readonly number[];
      /** About the least and the largest value of each input within the linear conditions, length n. */
      readonly ranges: readonly (readonly [number, number])[];
    }
  /** These conditions contradict each other within the bounds of these variables; without one of them they would not. */
  | { readonly kind: 'empty'; readonly conditions: readonly number[]; readonly variables: readonly number[] }
  /** An equation that is not linear. */
  | { readonly kind: 'nonlinear-equation'; readonly condition: number }
  /** No admissible input was found: none with whole numbers, or none within curved conditions. */
  | { readonly kind: 'nothing-found'; readonly isForWholeNumbers: boolean }
  /** The design takes more work than it may. */
  | { readonly kind: 'out-of-work' };

export interface DesignRequest {
  readonly space: Space;
  /** Number of outputs if the client stated it, else null. */
  readonly outputCount: number | null;
  /** Number of cases if the client stated it; null lets the design decide. */
  readonly caseCount: number | null;
  /** Cases that the design has at least where it decides how many: as many as are evaluated at a time. Absent: any number. */
  readonly atOnce?: number;
  /** Unsigned 32-bit seed. */
  readonly seed: number;
  /** k x n: the cases of a design that all failed. Then `caseCount` further ones are designed, over the whole box. */
  readonly failed?: Float64Array;
  /** Work that the conditions may take, in the units of `SuggestRequest.workLimit`. Absent: any. */
  readonly workLimit?: number;
}

/** The designed cases. */
export interface Design {
  readonly count: number;
  /** count x n, natural units. */
  readonly X: Float64Array;
  /** Report on the conditions of the space; absent without conditions. */
  readonly region?: RegionReport;
}

/** By how much an input that is made differs from the one that was asked for. */
export interface InputTolerances {
  /** The values are standard deviations of a normal distribution, or half widths of a uniform one. */
  readonly kind: 'normal' | 'uniform';
  /** In the units of each input, or in percent of its value. */
  readonly in: 'units' | 'percent';
  /** Length n, not negative; 0 for an input that is made exactly. Booleans and categories always are. */
  readonly values: readonly number[];
}

/** A search for an input that meets the goal most surely when it is made with tolerances. */
export interface RobustAim {
  readonly tolerances: InputTolerances;
  /** The search ends when the low end of the range of an input's probability reaches this; null: never for that reason. */
  readonly probability: number | null;
  /** Number of further runs that it may make. */
  readonly runsLeft: number;
  /** Number of last rows of the history that are the search's own; it ends with one of them. */
  readonly ownRuns: number;
}
