/** The optimizer's answers beside the next input. Plain data that JSON keeps, all numbers finite unless stated. */
import type { Standing, SuggestRequest } from './problem.ts';

/** Insight into one output from the cases. */
export interface OutputInsight {
  /**
   * Accuracy of the surrogate on cases left out, cases close together being left out together: the share of the
   * variance that it predicts, and the root mean square error in output units. Both null with fewer than three clusters
   * of cases; for a constant output r2 is null and rmse 0.
   */
  readonly crossValidated: { readonly r2: number | null; readonly rmse: number | null };
  /**
   * Length n: the share of the output's variance over the whole box that involves each input, its total effect. An
   * interaction counts for each of its inputs, so the sum may exceed 1. null when the cases do not determine it: too few
   * for the inputs, a model that misses half of the variance, or an output that never varied.
   */
  readonly sensitivity: readonly number[] | null;
  /** Length n: the range within [0, 1] in which each share lies, given what the surrogate does not know; null as `sensitivity` is. */
  readonly sensitivityRanges: readonly { readonly low: number; readonly high: number }[] | null;
  /**
   * Number of known derivatives of the output, the number that its model uses, and the error on cases left out without
   * any. Absent if no run brought derivatives.
   */
  readonly derivatives?: { readonly known: number; readonly used: number; readonly rmseWithout: number | null };
  /** The cheaper source that the model starts from, and the error on cases left out without it; absent: none. */
  readonly source?: { readonly number: number; readonly rmseWithout: number | null };
}

/** Evidence that the objectives cannot all be met. All numbers are finite. */
export interface Diagnosis {
  readonly nearestInput: readonly number[];
  readonly nearestOutput: readonly number[];
  /** Whether the nearest point was evaluated or is a prediction of the surrogate. */
  readonly nearestIs: 'evaluated' | 'predicted';
  /** Exact goals: the L1 norm at the nearest point, which the threshold would have to allow; null for others. */
  readonly l1Norm: number | null;
  /**
   * The outputs, numbered from 0, that the nearest point does not satisfy, and their distance from what would satisfy them
   * (for exact goals from the target), in output units. `isOutOfReachAlone` marks an output that could not be met even if
   * all others were dropped.
   */
  readonly unmet: readonly {
    readonly output: number;
    readonly distance: number;
    readonly isOutOfReachAlone: boolean;
  }[];
  /** Pairs of outputs that can be met one by one but not together. */
  readonly conflicts: readonly (readonly [number, number])[];
  /**
   * About the best values of the outputs to minimize or maximize where all others are met, in output units. Absent unless there
   * are such outputs beside others and some run met the others.
   */
  readonly attainable?: readonly { readonly output: number; readonly value: number }[];
  /**
   * Cost of the targets in conflict: the least worst miss that the models expect, in tolerances, with all of them
   * (`worstMiss`) and, one entry per target that takes part, without that target and with it relaxed by one tolerance.
   * Absent in diagnoses of an earlier release.
   */
  readonly costs?: {
    readonly worstMiss: number;
    readonly of: readonly { readonly output: number; readonly without: number; readonly relaxed: number }[];
  };
}

/** Kinds of what a history shows that a person can act on; `domain/search/advice.ts` has a sentence for each. */
export type AdviceKind =
  | 'constant-outputs'
  | 'sum-of-squares'
  | 'wrong-run'
  | 'repeats-disagree'
  | 'repeats-unclear'
  | 'noisy-runs'
  | 'wrong-derivatives'
  | 'unproven-derivatives';

/** Something that a history shows and that a person can act on. */
export interface Advice {
  readonly kind: AdviceKind;
  /** The outputs that it is about, numbered from 0; of constant outputs and of wrong derivatives empty for all of them. */
  readonly outputs: readonly number[];
  /** For wrong derivatives: the inputs, numbered from 0, by which the derivatives are wrong; absent: all. */
  readonly inputs?: readonly number[];
  /** For wrong derivatives: the factor between what they say and how the values change. */
  readonly factor?: number;
  /** Rows of the history that it is about; of a wrong run and of repeats the first is the one set aside. */
  readonly rows?: readonly number[];
  /** For a wrong run: its value of the output, and the prediction of the models of all others, null for an absurd value. */
  readonly value?: number;
  readonly predicted?: number | null;
}

/** Plain data that JSON keeps. */
export interface Explanation {
  /** One entry per output; null without a usable case. */
  readonly insight: readonly OutputInsight[] | null;
  /** null while nothing speaks against meeting all objectives. */
  readonly diagnosis: Diagnosis | null;
  /** Absent where there is none. */
  readonly advice?: readonly Advice[];
  /** Standing of the input that comes nearest to what `noise` asks; absent without such a request and before a run succeeded. */
  readonly standing?: Standing;
}

/** Chances that an input made with tolerances meets the goal. All shares are from 0 to 1. */
export interface Robustness {
  /** The probability that one run meets the goal, and the range in which it lies given what the models do not know. */
  readonly probability: number;
  readonly low: number;
  readonly high: number;
  /** Length m: of the runs that miss, the share in which each output does; for an exact goal its share of the L1 norm. */
  readonly outputShares: readonly number[];
  /** Length n: the share of the misses that would not happen if this input were made exactly. */
  readonly inputShares: readonly number[];
}

/** Values of one input, in its units. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/**
 * For which values of an input all targets hold by the models. An end at a bound of the input is that bound.
 */
export type InputRange =
  | {
      readonly kind: 'range';
      /** While the other inputs adapt: from the least to the largest value at which the targets surely hold. */
      readonly fits: ValueRange;
      /** Parts of `fits`, ascending, in which the targets surely do not hold. */
      readonly gaps: readonly ValueRange[];
      /** Outside of it they surely do not hold, however the other inputs adapt. */
      readonly possible: ValueRange;
      /** With the other inputs held at the best input: where the targets surely hold around it. */
      readonly alone: ValueRange;
      /** Share of the distance between the bounds, on the scale of the input, that each of the first two ranges covers. */
      readonly shares: { readonly fits: number; readonly possible: number };
    }
  /** A boolean or a category: the codes, ascending. */
  | { readonly kind: 'codes'; readonly fits: readonly number[]; readonly possible: readonly number[] };

/** Inputs that can change together without a target being missed: the outputs do not tell their values apart. */
export interface Combination {
  /** 'log': the loadings are those of the logarithms of the inputs. */
  readonly scale: 'linear' | 'log';
  /**
   * Length n: how far each input moves while the first one listed by size moves by 1, all in shares of the distance between
   * their bounds on the scale; 0 for inputs that stay.
   */
  readonly loadings: readonly number[];
  /** Two inputs, length n, at which, and between which, the targets surely hold by the models. */
  readonly ends: readonly [readonly number[], readonly number[]];
}

/** Conclusions about the inputs from meeting the targets, by the models. */
export interface Identifiability {
  /** Probability by the models that counts as "surely", 0.5 to 0.999. */
  readonly confidence: number;
  /** The input, length n, at which the targets hold most surely and from which the others are sought. */
  readonly best: readonly number[];
  readonly ranges: readonly InputRange[];
  /** Independent of each other; none when the outputs determine every input. */
  readonly combinations: readonly Combination[];
  /**
   * The run that would tell most: whether the targets hold in the middle of the widest range of which it is open. `input` is
   * the index of that input, `open` that range. null when no range is open by more than one percent of the bounds.
   */
  readonly next: { readonly at: readonly number[]; readonly input: number; readonly open: ValueRange } | null;
}

/** An input that was not run, and what the models predict there. Finite. */
export interface PredictedPoint {
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** Standard deviation of each output. */
  readonly spread: readonly number[];
  /** From 0 to 1: how likely the models hold it that a run meets all targets. Not calibrated. */
  readonly chance: number;
}

/** Request for predictions: slices along inputs, or a grid of two. */
export interface PredictionsQuestion {
  /** Length n, natural units: the values of the inputs while they do not vary. */
  readonly at: readonly number[];
  /** The zero-based inputs of each surface: one for a slice, two for a grid. */
  readonly surfaces: readonly (readonly number[])[];
  /** Zero-based. */
  readonly outputs: readonly number[];
  /** The most values per input, from 2, beside its value of `at`. Where only certain values are possible, fewer may do. */
  readonly points: number;
}

/** Prediction of one output, one number per point; null where it is not finite. */
export interface PredictedBand {
  readonly mean: readonly (number | null)[];
  /** Between them the models expect the output with a probability of 0.95, without the noise of a run. */
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

/** Predictions while one or two inputs vary. Lists have one entry per combination of their values, those of the last input fastest. */
export interface PredictedSurface {
  readonly inputs: readonly number[];
  /** Per input its values, ascending. */
  readonly values: readonly (readonly number[])[];
  /** Whether the bounds, fixed values and conditions allow the point. */
  readonly isAdmissible: readonly boolean[];
  /** In the order in which they were asked for. */
  readonly outputs: readonly PredictedBand[];
  /** From 0 to 1: how likely the models hold it that a run meets all targets. Not calibrated. */
  readonly chance: readonly (number | null)[];
}

export interface SolutionsRequest {
  /** `solutions.found` is not read; `solutions.apart` is the least distance of predicted solutions, 0.05 unless stated. */
  readonly request: SuggestRequest;
  /** Rows of the history that meet all targets. */
  readonly verified: readonly number[];
  /** The most of each kind to return. */
  readonly count: number;
}

export interface SolutionsFound {
  /** Rows of the history. */
  readonly verified: readonly number[];
  readonly predicted: readonly PredictedPoint[];
}

/** Knowledge about the front of a goal with outputs without aspiration, in output units. All numbers are finite. */
export interface FrontReport {
  /** Rows of the history on the front, ascending. */
  readonly rows: readonly number[];
  /** The outputs without aspiration, numbered from 0: the coordinates of the lists below. */
  readonly outputs: readonly number[];
  /** Null without a run that meets the targets. */
  readonly hypervolume: number | null;
  /** One per row of the history: that of the row and all before it, from the same reference; 0 before the first that counts. */
  readonly hypervolumes: readonly number[];
  /** The point below which the hypervolume is measured, and the best value of each output on the front. */
  readonly reference: readonly number[] | null;
  readonly ideal: readonly number[] | null;
  /** Points that the models expect between those of the front and beyond, none better than another. */
  readonly predicted: readonly PredictedPoint[];
}

/** Degree to which the data of a fit determine one input. */
export type Determined =
  /** The profile rises by the threshold on both sides, within the bounds, as far as is known. */
  | 'identifiable'
  /** It has a least value, and rises by less than that on at least one side, or nobody knows whether it rises. */
  | 'practically-not'
  /** It is flat: the data do not depend on this input once the others adapt. */
  | 'structurally-not'
  /** The input has one value, or is a boolean, a category, or a number with few values. */
  | 'held';

/** Knowledge about an end of an interval. */
export type ProfileEnd =
  /** The profile rises by the threshold there. */
  | 'found'
  /** It does not before the bound of the input. */
  | 'bound'
  /** The models may be off by more than what decides it, or disagree. */
  | 'not-known';

/** A point of a profile: the input at a value, the others adapted. */
interface ProfilePoint {
  readonly value: number;
  /** Misfit above its least value. */
  readonly increase: number;
}

/** Conclusions about one input from the data of a fit. */
export interface FitParameter {
  /** That of the best run. */
  readonly estimate: number;
  /** From the slopes of the models there; null where it exceeds the range between the bounds or an end is not known, and for held inputs. */
  readonly standardError: number | null;
  /** Ends of the profile-likelihood interval; null where none is found. */
  readonly low: number | null;
  readonly high: number | null;
  /** null for held inputs. */
  readonly lowEnd: ProfileEnd | null;
  readonly highEnd: ProfileEnd | null;
  readonly kind: Determined;
  /** Ascending by value; empty for held inputs. */
  readonly profile: readonly ProfilePoint[];
}

/** Inputs that can change together while the data hardly notice. */
export interface FitCombination {
  /** Length n: changes in shares of the range between the bounds, on a logarithm where the input has one; the largest is 1. */
  readonly loadings: readonly number[];
  readonly kind: 'practically-not' | 'structurally-not';
  /** Whether the models know how far the misfit rises along it. */
  readonly isKnown: boolean;
}

/** Prediction of one output at the best fit. All numbers in output units. */
export interface PredictedOutput {
  /** Zero-based. */
  readonly output: number;
  readonly predicted: number;
  /** From what the data leave open about the inputs; without the errors of the data. */
  readonly low: number;
  readonly high: number;
  /** Whether the interval may be claimed: not where it rests on inputs of which that is not known. */
  readonly isKnown: boolean;
  /** Length n: its derivative by each input in natural units, by the models; 0 for held inputs. */
  readonly slopes: readonly number[];
}

/** A run that would confirm or move an end of an interval. */
export interface VerifyingRun {
  /** Zero-based number of the input. */
  readonly input: number;
  readonly side: 'low' | 'high';
  /** Length n, natural units. */
  readonly at: readonly number[];
  /** Misfit that the models expect of it, over the least one near the best run, and its standard deviation; below 0 for a better fit. */
  readonly increase: number;
  readonly spread: number;
}

/** A point where the models expect a noticeably better fit than that of the best run. */
export interface BetterFit {
  /** Length n, natural units. */
  readonly at: readonly number[];
  /** Expected decrease of the misfit from that of the best run, and its standard deviation. */
  readonly decrease: number;
  readonly spread: number;
}

/** Conclusions about the inputs of a fit from its data, by the models. All numbers are finite. */
export interface FitInsight {
  readonly confidence: number;
  /** Length n: the input of the best run. */
  readonly best: readonly number[];
  /** Row of the history with the best run. */
  readonly bestRow: number;
  /** Increase of the misfit at the ends of the intervals. */
  readonly threshold: number;
  /** null where none is expected; otherwise nothing is known of the intervals. */
  readonly better: BetterFit | null;
  /** One per input. */
  readonly parameters: readonly FitParameter[];
  /** n x n, between -1 and 1; null where an input is held or not determined at all. */
  readonly correlations: readonly (readonly (number | null)[])[];
  readonly combinations: readonly FitCombination[];
  /** One per output of the data sets and per other output. */
  readonly outputs: readonly PredictedOutput[];
  /** Runs at the ends of the intervals, the one that tells most first. */
  readonly verify: readonly VerifyingRun[];
}
