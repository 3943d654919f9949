/** The parts of the statement that writes a change of a search; see write-search.ts. */
import { type RawBuilder, sql } from 'kysely';
import { TrialStatus } from '../../domain/data/trial.ts';
import { InverseStatus } from '../../domain/search/inverse.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { isWithinQuota } from '../accounts/account-usage.ts';
import { eventsTold } from '../webhooks/events.ts';
import { BASIS_OUTPUT } from './inverses.ts';
import { columns, OBJECTIVE_WITH_PARENTS } from './iteration-rows.ts';
import type { LedgerChange, ObjectiveFields } from './ledger-changes.ts';
import { LABELS } from './objectives.ts';
import { INVERSE_COLUMNS } from './run-columns.ts';
import { SEARCH_COLUMNS } from './search-ledger.ts';
import { FINISHED_CHANNEL, hasRoomInQueue, JOBS_CHANNEL } from './suggestion-jobs.ts';

/** The parts of a statement: those that differ from change to change. */
export interface Shape {
  readonly hasLease: boolean;
  readonly closes: boolean;
  readonly computes: boolean;
  readonly removes: boolean;
  readonly givesUp: boolean;
  readonly opens: boolean;
  readonly job: NonNullable<LedgerChange['job']>['kind'] | 'stays';
  readonly fields: readonly (keyof ObjectiveFields)[];
  readonly tells: boolean;
  /** Whether it reads the search as well and opens an inverse if that is idle; see openIfIdle. */
  readonly looks: boolean;
}

export type Value = (name: string) => never;
type Part = readonly [name: string, query: RawBuilder<unknown>];

const LEDGER = sql`select id, completed_count, "lastIteration" from locked`;

function lockedPart(value: Value): Part {
  return [
    'locked',
    sql`
      select o.id, o.completed_count, ${value('lastIteration')}::integer as "lastIteration" from objectives o
      where o.account_id = ${value('accountId')}::bigint and o.id = ${value('objectiveId')}::bigint
        and o.version = ${value('version')}::integer and o.disabled_at is null
      for update`,
  ];
}

/** The search as it is, and its objective, locked, if an inverse may be opened in any case: it runs, and none is open. */
function lookingParts(value: Value): Part[] {
  const isAt = (column: string, name: string) =>
    sql`(${value(name)}::bigint is null or ${sql.ref(column)} = ${value(name)}::bigint)`;
  return [
    [
      'search',
      sql`
        select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS}, ${SEARCH_COLUMNS}
        from objectives o join trials t on t.id = o.trial_id
        where o.account_id = ${value('accountId')}::bigint and o.id = ${value('objectiveId')}::bigint`,
    ],
    [
      'idle',
      sql`
        select s.id, s.version, s."lastIteration" from search s
        where s."disabledAt" is null and s."stopReason" = ${sql.lit(StopReason.running)} and s.job is null
          and s."trialStatus" = ${sql.lit(TrialStatus.active)} and json_array_length(s.open) = 0
          and ${isAt('s.modelId', 'modelId')} and ${isAt('s.projectId', 'projectId')} and ${isAt('s.trialId', 'trialId')}`,
    ],
    [
      'locked',
      sql`
        select o.id, o.completed_count, (select "lastIteration" from idle) as "lastIteration" from objectives o
        where o.id = (select id from idle) and o.version = (select version from idle) and o.disabled_at is null
        for update`,
    ],
  ];
}

/** The row that every write depends on: there unless the lease is lost or the account has no room. */
function gateParts(value: Value, { hasLease, job }: Shape): Part[] {
  const parts: Part[] = [];
  let gate = sql`${LEDGER}`;
  if (hasLease) {
    parts.push([
      'held',
      sql`
        select id from suggestion_jobs
        where id = ${value('jobId')}::bigint and lease_token = ${value('leaseToken')}::uuid and state = 'leased'
          and inverse_id = ${value('jobInverseId')}::bigint and objective_id = (select id from locked)
        for update`,
    ]);
    gate = sql`${gate} where exists (select from held)`;
  }
  if (job === 'opened') {
    const quota = { storedBytes: value('storedBytes'), storedRows: value('storedRows') };
    parts.push([
      'room',
      sql`
        select ${isWithinQuota(value('accountId'), quota)} as "isWithinQuota",
          ${hasRoomInQueue(value('accountId'), value('maximumQueued'))} as "hasRoomInQueue"
        from locked`,
    ]);
    const hasRoom = sql`(select "isWithinQuota" and "hasRoomInQueue" from room)`;
    gate = hasLease ? sql`${gate} and ${hasRoom}` : sql`${gate} where ${hasRoom}`;
  }
  return [...parts, ['gate', gate]];
}

function closedPart(value: Value): Part {
  const nowIf = (name: string, column: string) =>
    sql`${sql.id(column)} = case when ${value(name)}::boolean then now() else ${sql.ref(`i.${column}`)} end`;
  const ifRun = (column: string, run: RawBuilder<unknown>) =>
    sql`${sql.id(column)} = case when ${value('wasRun')}::boolean then ${run} else ${sql.ref(`i.${column}`)} end`;
  return [
    'closed',
    sql`
      update inverses i set
        status = ${value('closedStatus')}, failure_reason = ${value('failureReason')}::text,
        ${ifRun('loaded_by', sql`${value('loadedBy')}::text`)},
        ${ifRun('output', sql`${value('closedOutput')}::float8[]`)}, ${ifRun('jacobian', sql`${value('jacobian')}::float8[]`)},
        ${ifRun(
          'compute_time_ns',
          sql`coalesce(${value('computeTimeNs')}::bigint, greatest(0, extract(epoch from now() - i.suggested_at) * 1e9)::bigint)`,
        )},
        ${nowIf('isLoaded', 'loaded_at')}, ${nowIf('isFailed', 'failed_at')}, ${nowIf('isSatisfied', 'satisfied_at')},
        ${nowIf('isStopped', 'stopped_at')}, ${nowIf('isExhausted', 'exhausted_at')},
        completed_order = case when ${value('isNumbered')}::boolean then g.completed_count + 1 else i.completed_order end,
        updated_at = now()
      from gate g
      where i.id = ${value('closedId')}::bigint and i.objective_id = g.id
      returning ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT}`,
  ];
}

function computedPart(value: Value): Part {
  const input = sql`${value('input')}::float8[]`;
  const output = sql`${value('computedOutput')}::float8[]`;
  return [
    'computed',
    sql`
      update inverses i set
        status = ${value('computedStatus')}, input = ${input}, output = ${output}, expected = ${value('expected')}::float8[],
        suggest_time_ns = ${value('suggestTimeNs')}::bigint, suggested_at = now(),
        stopped_at = case when ${output} is null then i.stopped_at else now() end,
        basis = ${value('basis')}::integer, pending = ${value('pending')}::integer[],
        repeat_of = case when ${value('isRepeat')}::boolean then coalesce((
          select min(r.id) from inverses r
          where r.objective_id = i.objective_id and r.iteration < i.iteration and r.input = ${input}), 0) end,
        chance = ${value('chance')}::float8, source = ${value('source')}::text, learned_from = ${value('learnedFrom')}::jsonb, updated_at = now()
      from gate g
      where i.id = ${value('computedId')}::bigint and i.objective_id = g.id`,
  ];
}

function givenUpPart(value: Value): Part {
  const ids = sql`${value('givenUp')}::bigint[]`;
  return [
    'given_up',
    sql`
      update inverses i set status = ${sql.lit(InverseStatus.stopped)}, stopped_at = now(), updated_at = now(),
        completed_order = g.completed_count + ${value('numbered')}::integer + array_position(${ids}, i.id)
      from gate g
      where i.id = any (${ids}) and i.objective_id = g.id`,
  ];
}

/** Sender of the request of an asker: the text after its 36 characters and a space. */
const senderOf = (asker: RawBuilder<unknown>) => sql`nullif(substr(${asker}, 38), '')`;

function openedPart(value: Value): Part {
  const asker = sql`${value('askedBy')}::text`;
  return [
    'opened',
    sql`
      insert into inverses as i (account_id, objective_id, iteration, asked_by, requested_by)
      select ${value('accountId')}::bigint, g.id, g."lastIteration" + 1, ${asker}, ${senderOf(asker)} from gate g
      returning ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT}`,
  ];
}

function jobParts(value: Value, { job, hasLease }: Shape): Part[] {
  const own = hasLease ? sql`id in (select id from held)` : sql`objective_id = (select id from gate)`;
  switch (job) {
    case 'stays':
      return [];
    case 'opened':
      return [
        [
          'job',
          sql`
            insert into suggestion_jobs (account_id, objective_id, inverse_id, askers, request_id, trace_parent)
            select ${value('accountId')}::bigint, p."objectiveId", p.id, ${value('askers')}::text[], ${value('requestId')}::text,
              ${value('traceParent')}::text
            from opened p
            returning id`,
        ],
      ];
    case 'extended':
      return [
        [
          'job',
          sql`update suggestion_jobs set askers = askers || ${value('askers')}::text[] where ${own} returning id`,
        ],
      ];
    case 'moved':
      return [
        [
          'job',
          sql`
            update suggestion_jobs j set inverse_id = p.id, askers = j.askers[2:], attempts = 1, last_error = null, created_at = now()
            from opened p where j.objective_id = p."objectiveId"
            returning j.id`,
        ],
      ];
    case 'restarted':
      return [
        [
          'job',
          sql`
            update suggestion_jobs j set inverse_id = p.id, askers = ${value('askers')}::text[], attempts = 0, last_error = null,
              state = 'waiting', lease_token = null, leased_by = null, visible_at = now(), created_at = now(),
              request_id = null, trace_parent = null
            from opened p where j.objective_id = p."objectiveId"
            returning j.id`,
        ],
      ];
    case 'ended':
      return [['job', sql`delete from suggestion_jobs where ${own} and exists (select from gate) returning id`]];
  }
}

function objectivePart(value: Value, { fields }: Shape): Part {
  const sets: Record<keyof ObjectiveFields, RawBuilder<unknown>> = {
    stopReason: sql`stop_reason = ${value('stopReason')}::smallint`,
    ended: sql`ended = ${value('ended')}::jsonb`,
    optimalInverseId: sql`optimal_inverse_id = ${value('optimalInverseId')}::bigint`,
    optimalIteration: sql`optimal_inverse_id = (
      select q.id from inverses q where q.objective_id = o.id and q.iteration = ${value('optimalIteration')}::integer)`,
    nearestIteration: sql`nearest_iteration = ${value('nearestIteration')}::integer`,
    judgedThrough: sql`judged_through = ${value('judgedThrough')}::integer`,
    nearest: sql.join(
      (
        ['nearest_case', 'nearest_case_input', 'nearest_case_output', 'nearest_iteration', 'judged_through'] as const
      ).map((column) => sql`${sql.id(column)} = ${value(column)}::${sql.raw(NEAREST_TYPES[column])}`),
    ),
    parallelism: sql`parallelism = ${value('parallelism')}::smallint`,
    holdBack: sql`hold_back = ${value('holdBack')}::boolean`,
    maximumAttempts: sql`maximum_attempts = ${value('maximumAttempts')}::integer`,
    options: sql`options = ${value('options')}::jsonb`,
    nothingNewAt: sql`nothing_new_at = ${value('nothingNewAt')}::integer`,
  };
  return [
    'changed',
    sql`
      update objectives o set ${sql.join([
        sql`version = o.version + 1, updated_at = now(), completed_count = o.completed_count + ${value('completions')}::integer,
          attempt_count = o.attempt_count + ${value('attempts')}::integer`,
        ...fields.map((field) => sets[field]),
      ])}
      from gate g
      where o.id = g.id
      returning o.id as "changedId", ${columns(COUNTED)}`,
  ];
}

/** Columns of an objective that the statement computes besides the fields of the change. */
export const COUNTED = [
  'o.version as version',
  'o.attempt_count as attemptCount',
  'o.completed_count as completedCount',
  'o.optimal_inverse_id as optimalInverseId',
  'o.updated_at as updatedAt',
] as const;

const NEAREST_TYPES = {
  nearest_case: 'integer',
  nearest_case_input: 'float8[]',
  nearest_case_output: 'float8[]',
  nearest_iteration: 'integer',
  judged_through: 'integer',
} as const;

/** Notifications that the commit sends. */
export function told({ job, tells }: Shape, value: Value): RawBuilder<unknown>[] {
  const hasNewJob = job === 'opened' || job === 'restarted';
  return [
    ...(hasNewJob ? [sql`(select pg_notify(${sql.lit(JOBS_CHANNEL)}, '') from job)`] : []),
    sql`case when ${value('finishedId')}::bigint is not null and exists (select from gate)
      then pg_notify(${sql.lit(FINISHED_CHANNEL)}, ${value('finishedId')}::bigint::text) end`,
    ...(tells ? [eventsTold()] : []),
  ];
}

/** Common table expressions in the order in which they depend on each other. */
export function partsOf(value: Value, shape: Shape): readonly Part[] {
  return [
    ...(shape.looks ? lookingParts(value) : [lockedPart(value)]),
    ...gateParts(value, shape),
    ...(shape.closes ? [closedPart(value)] : []),
    ...(shape.computes ? [computedPart(value)] : []),
    ...(shape.givesUp ? [givenUpPart(value)] : []),
    ...(shape.opens ? [openedPart(value)] : []),
    ...jobParts(value, shape),
    ...(shape.removes
      ? [
          [
            'removed',
            sql`delete from inverses where id = (select ${value('removed')}::bigint from gate) and input is null`,
          ] as Part,
        ]
      : []),
    objectivePart(value, shape),
  ];
}
