/** The contents of a control file of PEST. Names are in small letters: PEST does not tell cases apart. */

export interface PestParameter {
  readonly name: string;
  readonly transform: 'none' | 'log' | 'fixed' | 'tied';
  readonly initial: number;
  readonly lower: number;
  readonly upper: number;
  readonly group: string;
  /** The model gets value x scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Parameter that a tied one follows, in the ratio of their initial values; null for others. */
  readonly parent: string | null;
}

export interface PestObservation {
  readonly name: string;
  readonly value: number;
  readonly weight: number;
  readonly group: string;
  /** That it is to PESTPP-IES, with one end at least; undefined for data, and for those without weight. */
  readonly limit: PestLimit | undefined;
}

export interface PestLimit {
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** sum of factor x parameter, or its decimal logarithm, = value */
export interface PriorEquation {
  readonly name: string;
  readonly terms: readonly { readonly factor: number; readonly parameter: string; readonly isLog: boolean }[];
  readonly value: number;
  readonly weight: number;
  readonly group: string;
}

/** A file of PEST and the one of the model that it belongs to. */
export interface FilePair {
  readonly pest: string;
  readonly model: string;
}

export interface PestControl {
  readonly parameters: readonly PestParameter[];
  readonly observations: readonly PestObservation[];
  readonly priors: readonly PriorEquation[];
  readonly commands: readonly string[];
  readonly templates: readonly FilePair[];
  readonly instructions: readonly FilePair[];
  /** Options of PEST++, by their names in small letters. */
  readonly options: ReadonlyMap<string, string>;
  /** Whole sentences about what is not used. */
  readonly notes: readonly string[];
}

/** Counts that `* control data` announces; undefined for those that it does not. */
export interface Counts {
  readonly parameters: number | undefined;
  readonly observations: number | undefined;
  readonly templates: number | undefined;
  readonly instructions: number | undefined;
}

/**
 * Groups whose observations are limits to PESTPP-IES: at most and at least their values. `>@` is at most and `<@` at least in PEST++ 5.2.23
 * (L2PhiHandler) and pyemu 1.7.0 (get_constraint_tags).
 */
export function limitOfGroup(group: string): 'atMost' | 'atLeast' | undefined {
  if (/^(l_|less|>@)/.test(group)) return 'atMost';
  return /^(g_|greater|<@)/.test(group) ? 'atLeast' : undefined;
}

/**
 * Whether an observation is data of its group.
 *
 * @param fitsLimits  as PEST and PESTPP-GLM do, which know no limits
 */
export function isFitted({ weight, group, limit }: PestObservation, fitsLimits: boolean): boolean {
  return weight > 0 && !isRegularisation(group) && (fitsLimits || limit === undefined);
}

/** Regularisation groups, whose weights PEST itself adjusts. */
export function isRegularisation(group: string): boolean {
  return group.startsWith('regul');
}
