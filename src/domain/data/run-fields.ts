/**
 * The fields of a run, which the interface calls an inverse: what each holds, where it is stored, what it is called, and in which
 * representations it appears. The columns that are read, the record, the schemas and answers of /v1, histories, exports, rows of CSV
 * and the tables of the page follow from here. A field without a column needs a value in http/native/data/run-fields.wire.ts, or
 * an expression in db/search/run-columns.ts.
 */
export const InverseStatus = {
  active: 'active',
  converged: 'converged',
  maxIterations: 'max_iterations',
  stopped: 'stopped',
  failed: 'failed',
} as const;
export type InverseStatus = (typeof InverseStatus)[keyof typeof InverseStatus];

/** Data that a suggestion knew besides the earlier inverses of its objective, so that it can be repeated. */
export interface LearnedFrom {
  /** The cases of the trial as of this revision. */
  readonly revision: number;
  /**
   * The other objectives, by id, each with its last iteration that was known, and the highest completedOrder of its known
   * iterations: 0 without any; absent in rows of an earlier release, to which every iteration up to the last one was known.
   */
  readonly objectives: readonly (readonly [objectiveId: number, iteration: number, completedOrder?: number])[];
}

/** By kind of field, what the record holds. http/native/data/run-fields.wire.ts has the schema of each. */
interface RunKinds {
  readonly boolean: boolean;
  readonly inputByName: never;
  readonly instant: Date;
  readonly integer: number;
  readonly integers: readonly number[];
  /** Outputs x inputs, row by row, NaN where not known. */
  readonly jacobian: readonly number[];
  readonly learnedFrom: LearnedFrom;
  readonly nanoseconds: number;
  readonly number: number;
  readonly outputByName: never;
  /** An inverse, or 0 for a run that is none of its objective's. */
  readonly repeated: number;
  readonly results: never;
  readonly status: InverseStatus;
  readonly text: string;
  readonly vector: readonly number[];
}

interface RunField {
  readonly holds: keyof RunKinds;
  /** Column of the table inverses. */
  readonly column?: string;
  readonly orNull?: true;
  /** Its name on the wire, if it is another one. */
  readonly sentAs?: string;
  readonly description?: string;
}

export const RUN_FIELDS = {
  id: { holds: 'integer', column: 'id' },
  objectiveId: { holds: 'integer', column: 'objective_id' },
  trialId: { holds: 'integer' },
  status: { holds: 'status', column: 'status' },
  iteration: { holds: 'integer', column: 'iteration', description: '1 is the initial point.' },
  l1Norm: { holds: 'number', description: 'The L1 norm of the output that the results judge.' },
  errors: { holds: 'vector', description: 'One per objective, the errors of the results.' },
  convergence: { holds: 'number', description: 'On iteration 1 the criterion, later the remaining relative distance.' },
  input: {
    holds: 'vector',
    column: 'input',
    orNull: true,
    description: 'null while the suggestion is being computed.',
  },
  inputs: { holds: 'vector', description: 'Empty while the suggestion is being computed.' },
  inputByName: { holds: 'inputByName' },
  output: { holds: 'vector', column: 'output', orNull: true, description: 'null until it is loaded.' },
  outputs: { holds: 'vector', description: 'Empty until loaded.' },
  outputByName: { holds: 'outputByName' },
  jacobian: {
    holds: 'jacobian',
    column: 'jacobian',
    orNull: true,
    description:
      'The derivatives that were reported with the output: one row per output with one number per input, null where not known.',
  },
  hasJacobian: { holds: 'boolean', description: 'Whether derivatives of its output were reported.' },
  results: {
    holds: 'results',
    description: 'Judge the output of this iteration; before it is loaded, that of the last completed iteration.',
  },
  misses: {
    holds: 'vector',
    orNull: true,
    description:
      'How far each output is from its goal, in units of its tolerance, as in best of the objective: 0 where it is met. null without an output, and for a run of a cheaper source.',
  },
  missedBy: {
    holds: 'vector',
    orNull: true,
    description:
      'The same in units of the outputs: how far each is beyond the end of its interval, negative below it and 0 within; for exact, its difference from the target.',
  },
  misfit: {
    holds: 'number',
    orNull: true,
    description:
      'How far the output is from the data of a fit: chi-square, or the sum of its robust loss; where a standard error is unknown, the root mean square of the residuals, of several data sets their weighted geometric mean. The best run has the least among those that meet all other targets. null without a fit or an output, and for a run of a cheaper source.',
  },
  suggestTimeNs: {
    holds: 'nanoseconds',
    column: 'suggest_time_ns',
    sentAs: 'suggestTime',
    description: 'Nanoseconds that the optimizer took.',
  },
  computeTimeNs: {
    holds: 'nanoseconds',
    column: 'compute_time_ns',
    sentAs: 'computeTime',
    description: 'Nanoseconds from the suggestion to its output.',
  },
  askedBy: {
    holds: 'text',
    column: 'requested_by',
    orNull: true,
    description:
      'Who asked for it: the person, else the label of the API key, or its key id; null: a batch did, or an earlier release stored it.',
  },
  suggestedAt: { holds: 'instant', column: 'suggested_at', orNull: true },
  loadedAt: { holds: 'instant', column: 'loaded_at', orNull: true },
  loadedBy: {
    holds: 'text',
    column: 'loaded_by',
    orNull: true,
    description: 'Who loaded its output, or reported that its run failed, as in askedBy.',
  },
  satisfiedAt: { holds: 'instant', column: 'satisfied_at', orNull: true },
  stoppedAt: { holds: 'instant', column: 'stopped_at', orNull: true },
  exhaustedAt: { holds: 'instant', column: 'exhausted_at', orNull: true },
  failedAt: { holds: 'instant', column: 'failed_at', orNull: true },
  failureReason: { holds: 'text', column: 'failure_reason', orNull: true },
  /** null before it is suggested, and in rows of an earlier release. */
  basis: {
    holds: 'integer',
    column: 'basis',
    orNull: true,
    description:
      'How many inverses of the objective had been completed or given up when it was suggested; null before.',
  },
  pending: {
    holds: 'integers',
    column: 'pending',
    orNull: true,
    description: 'The iterations that were open when it was suggested.',
  },
  completedOrder: {
    holds: 'integer',
    column: 'completed_order',
    orNull: true,
    description:
      'Its number in the order in which the inverses of the objective were completed or given up; null while it is open.',
  },
  learnedFrom: {
    holds: 'learnedFrom',
    column: 'learned_from',
    orNull: true,
    description:
      'The data that the suggestion was computed from besides the earlier iterations; null for only the cases as loaded.',
  },
  isRepeat: {
    holds: 'boolean',
    description: 'Whether its input has been run before, and is run again because runs differ.',
  },
  source: {
    holds: 'text',
    column: 'source',
    orNull: true,
    description:
      'The cheaper source that its input is for; null for the fine one. A run of a cheaper source informs the models and is never a solution or the best run.',
  },
  sourceName: {
    holds: 'text',
    column: 'source',
    orNull: true,
    description: 'The cheaper source that was run; null for the fine one.',
  },
  repeatOf: {
    holds: 'repeated',
    column: 'repeat_of',
    orNull: true,
    description:
      'The inverse whose input it repeats; null when that is a case or the run of another objective, and without a repeat.',
  },
  excludedAt: {
    holds: 'instant',
    column: 'excluded_at',
    orNull: true,
    description:
      'Since when a correction excludes it: it is shown, but no suggestion learns from it and it is never the best.',
  },
  isExcluded: { holds: 'boolean', sentAs: 'excluded', description: 'Whether no suggestion learns from it.' },
  isCorrected: { holds: 'boolean', sentAs: 'corrected' },
  note: { holds: 'text', orNull: true, description: 'A note of a person on the run.' },
  notedBy: {
    holds: 'text',
    orNull: true,
    description: 'Who wrote the note: the person, else the label of the API key, or its key id.',
  },
  notedAt: { holds: 'instant', orNull: true },
  /** Ranges that the model expected of the outputs: the lower ends, then the upper ends; null where it expected none. */
  expected: { holds: 'vector', column: 'expected', orNull: true },
  createdAt: { holds: 'instant', column: 'created_at' },
  updatedAt: { holds: 'instant', column: 'updated_at' },
  /** Set only by earlier releases; see disabledAtOf. */
  disabledAt: { holds: 'instant', column: 'disabled_at', orNull: true },
} as const satisfies Readonly<Record<string, RunField>>;

export type RunFieldName = keyof typeof RUN_FIELDS;
export type FieldOf<Name extends RunFieldName> = (typeof RUN_FIELDS)[Name];
export type RunValue<Name extends RunFieldName> =
  | RunKinds[FieldOf<Name>['holds']]
  | (FieldOf<Name> extends { orNull: true } ? null : never);
export type StoredRunField = {
  [Name in RunFieldName]: FieldOf<Name> extends { column: string } ? Name : never;
}[RunFieldName];

/** Stored fields of a run. */
export type StoredRun = { readonly [Name in StoredRunField]: RunValue<Name> };

function names<const Names extends readonly RunFieldName[]>(...list: Names): Names {
  return list;
}

const COMMON = names(
  'id',
  'objectiveId',
  'status',
  'iteration',
  'l1Norm',
  'errors',
  'loadedAt',
  'satisfiedAt',
  'stoppedAt',
  'exhaustedAt',
  'failedAt',
  'failureReason',
  'basis',
  'completedOrder',
  'learnedFrom',
  'isRepeat',
  'repeatOf',
  'source',
  'excludedAt',
  'createdAt',
  'updatedAt',
);
const SUGGESTION = names(...COMMON, 'convergence', 'input', 'inputByName', 'suggestTimeNs', 'computeTimeNs', 'results');

/** Views of a run: their fields, in order. */
export const RUN_VIEWS = {
  /** The answer to suggest. */
  suggestion: SUGGESTION,
  /** An inverse on its own. */
  inverse: names(
    ...SUGGESTION,
    'trialId',
    'output',
    'outputByName',
    'jacobian',
    'misses',
    'missedBy',
    'misfit',
    'askedBy',
    'loadedBy',
    'disabledAt',
  ),
  /** An inverse among those of its objective. */
  embedded: names(...COMMON, 'inputs', 'inputByName', 'outputs', 'outputByName', 'disabledAt'),
  /** A line of an export. */
  exported: names(
    'id',
    'objectiveId',
    'iteration',
    'status',
    'input',
    'output',
    'jacobian',
    'suggestTimeNs',
    'computeTimeNs',
    'askedBy',
    'suggestedAt',
    'loadedAt',
    'loadedBy',
    'satisfiedAt',
    'stoppedAt',
    'exhaustedAt',
    'failedAt',
    'failureReason',
    'learnedFrom',
    'isRepeat',
    'repeatOf',
    'source',
    'basis',
    'pending',
    'completedOrder',
    'excludedAt',
    'createdAt',
    'updatedAt',
    'note',
    'notedBy',
    'notedAt',
  ),
  /** Rows of CSV and lines of JSON: before the verdicts on the outputs, and after them. */
  before: names('iteration', 'status'),
  after: names('failureReason', 'isExcluded', 'note', 'notedBy', 'notedAt'),
  /** The last ones of an objective's own runs; among all runs of a trial they come first. */
  last: names('sourceName'),
  /** Among all runs of a trial. Cases have these fields as well, or null. */
  ofTrial: names(
    'misses',
    'missedBy',
    'misfit',
    'loadedAt',
    'loadedBy',
    'failureReason',
    'isExcluded',
    'isCorrected',
    'hasJacobian',
    'note',
    'notedBy',
    'notedAt',
  ),
};

interface HistoryColumn {
  readonly of: RunFieldName;
  /** One entry per iteration; an object by iteration, of those that have a value; or the iterations of which it is true. */
  readonly as: 'list' | 'byIteration' | 'iterations';
  readonly description?: string;
}

/** The history of an objective by columns. */
export const HISTORY_COLUMNS = {
  iterations: {
    of: 'iteration',
    as: 'list',
    description: '1 is the initial point; the lists below have one entry per iteration.',
  },
  inverseIds: { of: 'id', as: 'list' },
  statuses: { of: 'status', as: 'list' },
  loadedAt: { of: 'loadedAt', as: 'list' },
  loadedBy: { of: 'loadedBy', as: 'byIteration', description: RUN_FIELDS.loadedBy.description },
  computeTimes: { of: 'computeTimeNs', as: 'list', description: RUN_FIELDS.computeTimeNs.description },
  failureReasons: { of: 'failureReason', as: 'byIteration', description: 'By iteration, for those that have one.' },
  repeatOf: {
    of: 'repeatOf',
    as: 'byIteration',
    description:
      'By iteration, for those that run an input again: the inverse that ran it first; null when that is a case or the run of another objective.',
  },
  sources: { of: 'source', as: 'byIteration', description: 'By iteration, for runs of cheaper sources.' },
  excluded: { of: 'isExcluded', as: 'iterations', description: 'Iterations that a correction has excluded.' },
  corrected: { of: 'isCorrected', as: 'iterations', description: 'Iterations that were ever corrected.' },
  withJacobian: { of: 'hasJacobian', as: 'iterations', description: 'Iterations whose derivatives were reported.' },
  notes: { of: 'note', as: 'byIteration', description: 'By iteration, for those that have one.' },
  notedBy: { of: 'notedBy', as: 'byIteration', description: RUN_FIELDS.notedBy.description },
  notedAt: { of: 'notedAt', as: 'byIteration' },
  inputs: { of: 'input', as: 'list', description: RUN_FIELDS.input.description },
  outputs: { of: 'output', as: 'list', description: 'null until loaded.' },
  misses: { of: 'misses', as: 'list', description: RUN_FIELDS.misses.description },
  missedBy: { of: 'missedBy', as: 'list', description: RUN_FIELDS.missedBy.description },
  misfits: { of: 'misfit', as: 'list', description: RUN_FIELDS.misfit.description },
} as const satisfies Readonly<Record<string, HistoryColumn>>;

export type HistoryColumnName = keyof typeof HISTORY_COLUMNS;
export type HistoryFieldName = (typeof HISTORY_COLUMNS)[HistoryColumnName]['of'];

/** The name of a field on the wire. */
export type SentName<Name extends RunFieldName> = Name extends RunFieldName
  ? FieldOf<Name> extends { sentAs: infer Sent extends string }
    ? Sent
    : Name
  : never;

export function sentName<Name extends RunFieldName>(name: Name): SentName<Name> {
  return ((RUN_FIELDS[name] as RunField).sentAs ?? name) as SentName<Name>;
}

export const STORED_RUN_FIELDS = (Object.keys(RUN_FIELDS) as RunFieldName[]).filter(
  (name): name is StoredRunField => 'column' in RUN_FIELDS[name],
);

type NullableField = {
  [Name in StoredRunField]: FieldOf<Name> extends { orNull: true } ? Name : never;
}[StoredRunField];

/** A run that nothing is known of but what it belongs to: every field that may be null is. */
export const UNKNOWN_RUN = Object.fromEntries(
  STORED_RUN_FIELDS.filter((name) => 'orNull' in RUN_FIELDS[name]).map((name) => [name, null]),
) as { readonly [Name in NullableField]: null };
