/**
 * The types of goals, with everything that tells them apart outside the judging of outputs (domain/tolerances.ts). The TypeScript client
 * gets a copy of this file and the Python client what it needs of it, so it imports nothing.
 */

/** Unit of the bounds of a type, which are offsets from the target, negative below it. */
interface OffsetUnit {
  /** Text behind an offset, such as the % of 5%; empty in units of the output. */
  readonly suffix: string;
  /** Noun that the form of the page asks for. */
  readonly asked: string;
  /** Text behind an amount in sentences. */
  readonly amount: string;
  /** The goal in the words of front doors. */
  readonly called: string;
  /** The goal in problem files; default: as in the other front doors. */
  readonly inFiles?: string;
  /** Converts an offset into units of the output. */
  toUnits(offset: number, gauge: Gauge): number;
  /** Converts a difference from the target, in units of the output, into an offset. */
  fromUnits(difference: number, gauge: Gauge): number;
}

/** Figures of one output that its offsets are measured against. */
export interface Gauge {
  readonly target: number;
  /** Standard deviation of its noise; NaN where none is stated. */
  readonly deviation: number;
}

/** A definition as far as gauges need it. */
export interface Gauged {
  /** null: no target, or a gap of a fit. */
  readonly objectives: readonly (number | null)[];
  readonly noise?: 'estimate' | { readonly standardDeviations: readonly number[] } | null;
}

/** The gauge of output j, whose type has bounds. */
export function gaugeOf({ objectives, noise }: Gauged, j: number): Gauge {
  const deviation = typeof noise === 'object' ? noise?.standardDeviations[j] : undefined;
  return { target: objectives[j]!, deviation: deviation ?? Number.NaN };
}

const PERCENT: OffsetUnit = {
  suffix: '%',
  asked: 'percent',
  amount: ' percentage points',
  called: 'within percent',
  inFiles: 'within %',
  toUnits: (offset, { target }) => (offset / 100) * Math.abs(target),
  fromUnits: (difference, { target }) => 100 * (difference / Math.abs(target)),
};

const UNITS: OffsetUnit = {
  suffix: '',
  asked: 'offset',
  amount: '',
  called: 'within',
  toUnits: (offset) => offset,
  fromUnits: (difference) => difference,
};

/** Standard deviations of the noise that the objective states for the output. */
const DEVIATIONS: OffsetUnit = {
  suffix: ' sd',
  asked: 'standard deviations',
  amount: ' standard deviations',
  called: 'within standard deviations',
  inFiles: 'within sd',
  toUnits: (offset, { deviation }) => offset * deviation,
  fromUnits: (difference, { deviation }) => difference / deviation,
};

export interface GoalKind {
  /** Values that meet it: up to the target, from it on, around it; with those of all other outputs; or none by itself. */
  readonly met: 'below' | 'above' | 'around' | 'together' | 'never';
  /** Whether the target itself does not meet it. */
  readonly isStrict: boolean;
  /** Whether better values are sought beyond the target, which may then be missing. */
  readonly direction: 'none' | 'minimize' | 'maximize';
  /** Unit of its bounds; null for a type without bounds. */
  readonly offsets: OffsetUnit | null;
  /** The type that clients under /api read instead; itself if they know it. */
  readonly earlier: string;
  /** The function in programs and the key in problem files; null where the goal is more than one number. */
  readonly name: string | null;
  /** Words of the choice on the page. */
  readonly choice: string;
  /** Text before the target in a line for people, and as Python prints it; empty where offsets follow the target. */
  readonly phrase: string;
  readonly sign: string;
}

const PLAIN = { isStrict: false, direction: 'none', offsets: null } as const;
/** Types around a target, by bounds. */
const AROUND = { ...PLAIN, met: 'around', name: null, phrase: '', sign: '' } as const;

const TABLE = {
  exact: {
    ...PLAIN,
    met: 'together',
    earlier: 'exact',
    name: 'exact',
    choice: 'exactly (all outputs)',
    phrase: 'exactly',
    sign: '=',
  },
  percent: { ...AROUND, offsets: PERCENT, earlier: 'percent', choice: 'within percent of the target' },
  value: { ...AROUND, offsets: UNITS, earlier: 'value', choice: 'within a range around the target' },
  standard_deviations: {
    ...AROUND,
    offsets: DEVIATIONS,
    earlier: 'value',
    choice: 'within standard deviations of the target',
  },
  lessthan: {
    ...PLAIN,
    met: 'below',
    isStrict: true,
    earlier: 'lessthan',
    name: 'below',
    choice: 'below',
    phrase: 'below',
    sign: '<',
  },
  lessthan_equal: {
    ...PLAIN,
    met: 'below',
    earlier: 'lessthan_equal',
    name: 'atMost',
    choice: 'at most',
    phrase: 'at most',
    sign: '<=',
  },
  greaterthan: {
    ...PLAIN,
    met: 'above',
    isStrict: true,
    earlier: 'greaterthan',
    name: 'above',
    choice: 'above',
    phrase: 'above',
    sign: '>',
  },
  greaterthan_equal: {
    ...PLAIN,
    met: 'above',
    earlier: 'greaterthan_equal',
    name: 'atLeast',
    choice: 'at least',
    phrase: 'at least',
    sign: '>=',
  },
  minimize: {
    ...PLAIN,
    met: 'below',
    direction: 'minimize',
    earlier: 'minimize',
    name: 'minimize',
    choice: 'minimize',
    phrase: 'as small as',
    sign: 'minimize to',
  },
  maximize: {
    ...PLAIN,
    met: 'above',
    direction: 'maximize',
    earlier: 'maximize',
    name: 'maximize',
    choice: 'maximize',
    phrase: 'as large as',
    sign: 'maximize to',
  },
  fit: {
    ...PLAIN,
    met: 'never',
    earlier: 'exact',
    name: null,
    choice: 'as near as possible (fit to data)',
    phrase: '',
    sign: '',
  },
} as const satisfies Readonly<Record<string, GoalKind>>;

export type GoalType = keyof typeof TABLE;
/** Types with bounds, which are judged by tolerances. */
export type BoundedType = { [Type in GoalType]: (typeof TABLE)[Type]['offsets'] extends null ? never : Type }[GoalType];

export const GOAL_TYPES: Readonly<Record<GoalType, GoalKind & { readonly earlier: GoalType }>> = TABLE;

/** Undefined for entries of a body that are no type at all, of which neither rule below is true. */
const kindOf = (type: GoalType): Partial<GoalKind> | undefined => GOAL_TYPES[type];

export function hasBounds(type: GoalType): type is BoundedType {
  return kindOf(type)?.offsets != null;
}

/** Whether better values are sought beyond the target, which may be missing: the search is then for a front. */
export function isAspiration(type: GoalType): type is 'minimize' | 'maximize' {
  return (kindOf(type)?.direction ?? 'none') !== 'none';
}
