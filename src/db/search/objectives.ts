import { sql } from 'kysely';
import { type Extent, type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { SentConstraint } from '../../domain/problem/input-space.ts';
import type { Labels } from '../../domain/problem/names.ts';
import type { Ending } from '../../domain/search/ending.ts';
import type { NearestSoFar, Objective } from '../../domain/search/objective.ts';
import type { StopReason } from '../../domain/search/stop-reason.ts';
import { compileOnce } from '../connection/compiled.ts';
import { anyOf } from '../connection/prepared-statements.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { isWithinExtent } from '../extent.ts';

export const OBJECTIVE_COLUMNS = [
  'o.id as id',
  'o.trial_id as trialId',
  'o.number as number',
  'o.objectives as objectives',
  'o.objective_types as objectiveTypes',
  'o.minimum_bounds as minimumBounds',
  'o.maximum_bounds as maximumBounds',
  'o.desired_l1_norm as desiredL1Norm',
  'o.convergence as convergence',
  'o.initial_input as initialInput',
  'o.initial_output as initialOutput',
  'o.maximum_attempts as maximumAttempts',
  'o.attempt_count as attemptCount',
  'o.stop_reason as stopReason',
  'o.optimal_inverse_id as optimalInverseId',
  'o.nearest_case as nearestCase',
  'o.nearest_case_input as nearestCaseInput',
  'o.nearest_case_output as nearestCaseOutput',
  'o.nearest_iteration as nearestIteration',
  'o.judged_through as judgedThrough',
  'o.seed as seed',
  'o.reuse as reuse',
  'o.continues_id as continuesId',
  'o.fixed_inputs as fixedInputs',
  'o.constraints as constraints',
  'o.data_revision as dataRevision',
  'o.version as version',
  'o.parallelism as parallelism',
  'o.hold_back as holdBack',
  'o.completed_count as completedCount',
  'o.nothing_new_at as nothingNewAt',
  'o.batch_id as batchId',
  'o.options as options',
  'o.ended as ended',
  'o.label as label',
  'o.archived_at as archivedAt',
  'o.created_at as createdAt',
  'o.updated_at as updatedAt',
  'o.disabled_at as disabledAt',
] as const;

/** The labels of the project of objective `o`: one look along its primary key. */
export const LABELS = sql<Labels | null>`(
  select case when coalesce(p.input_names, p.output_names) is not null then json_build_object(
    'inputNames', p.input_names, 'outputNames', p.output_names,
    'minimums', p.minimums, 'inputTypes', p.input_types, 'categories', p.categories) end
  from projects p where p.id = o.project_id)`.as('labels');

/** Whether a run cannot end objective `o`, see `endsWithRuns` of its quest. */
export const MUST_HOLD = sql<boolean>`coalesce(o.options ?| array['confirm', 'confidence', 'fits'], false)`;

interface ObjectiveRow extends Omit<Objective, 'objectiveTypes' | 'stopReason' | 'constraints' | 'options' | 'ended'> {
  readonly objectiveTypes: readonly string[];
  readonly stopReason: number;
  readonly constraints: unknown;
  readonly options: unknown;
  readonly ended: unknown;
}

/** Types, stop reason, constraints, options and the ending were checked before they were stored. */
function toObjective<Row extends ObjectiveRow>(row: Row): Row & Objective {
  return row as Row & Objective;
}

/** An objective with its parents, for checks of a nested path, and with the state of its trial. */
export interface ObjectiveWithParents extends Objective {
  readonly modelId: number;
  readonly projectId: number;
  readonly trialStatus: string;
  /** Output case set of its trial. */
  readonly outputCaseSetId: number;
}

function objectivesWithParents(db: Db | Trx, accountId: number) {
  return db
    .selectFrom('objectives as o')
    .innerJoin('trials as t', 't.id', 'o.trial_id')
    .select(OBJECTIVE_COLUMNS)
    .select(LABELS)
    .select(['o.model_id as modelId', 'o.project_id as projectId'])
    .select(['t.status as trialStatus', 't.output_case_set_id as outputCaseSetId'])
    .where('o.account_id', '=', accountId);
}

type RowWithParents = ObjectiveRow &
  Pick<ObjectiveWithParents, 'modelId' | 'projectId' | 'trialStatus' | 'outputCaseSetId'>;
type ById = { accountId: number; id: number };

const selectObjective = compileOnce<ById, RowWithParents>((db, value) =>
  objectivesWithParents(db, value('accountId')).where('o.id', '=', value('id')),
);
const selectLocked = compileOnce<ById, RowWithParents>((db, value) =>
  objectivesWithParents(db, value('accountId')).where('o.id', '=', value('id')).forUpdate('o'),
);

/** Disabled ones included. Primary key. */
export async function findObjective(
  db: Db | Trx,
  accountId: number,
  id: number,
): Promise<ObjectiveWithParents | undefined> {
  const [row] = await selectObjective(db, { accountId, id });
  return row && toObjective(row);
}

/** Locks the objective row: everything that changes an objective, its inverses or its job queues up here. */
export async function lockObjective(
  trx: Trx,
  accountId: number,
  id: number,
): Promise<ObjectiveWithParents | undefined> {
  const [row] = await selectLocked(trx, { accountId, id });
  return row && toObjective(row);
}

/** Ids of the objectives of a trial. */
export async function listObjectiveIds(
  db: Db,
  accountId: number,
  trialId: number,
  page: PageRequest,
  extent: Extent = 'active',
): Promise<Page<number>> {
  const rows = await db
    .selectFrom('objectives')
    .select('id')
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where(isWithinExtent(extent))
    .where('id', '>', page.after ?? 0)
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  const { items, nextAfter } = toPage(rows, page);
  return { items: items.map(({ id }) => id), nextAfter };
}

/** By id, disabled ones included. Primary key. */
export async function findObjectives(db: Db, accountId: number, ids: readonly number[]): Promise<readonly Objective[]> {
  const rows = await db
    .selectFrom('objectives as o')
    .select(OBJECTIVE_COLUMNS)
    .select(LABELS)
    .where('o.account_id', '=', accountId)
    .where('o.id', '=', anyOf(ids))
    .orderBy('o.id')
    .execute();
  return rows.map(toObjective);
}

/**
 * The newest running objective of a trial with exactly this definition and initial point, if any: what makes a repeated
 * initialize-inverse return the same one. Whether it learns from others counts only when `reuse` is given. The caller holds
 * the lock of the trial.
 */
export async function findRunningTwin(
  trx: Trx,
  accountId: number,
  trialId: number,
  objective: NewObjectiveRow,
  reuse?: boolean,
): Promise<Objective | undefined> {
  const row = await trx
    .selectFrom('objectives as o')
    .select(OBJECTIVE_COLUMNS)
    .select(LABELS)
    .where('o.account_id', '=', accountId)
    .where('o.trial_id', '=', trialId)
    .where('o.disabled_at', 'is', null)
    .where('o.stop_reason', '=', 0)
    .where(
      sql<boolean>`(o.objectives, o.objective_types, o.minimum_bounds, o.maximum_bounds)
        = (${objective.objectives}::float8[], ${objective.objectiveTypes}::text[],
           ${objective.minimumBounds}::float8[], ${objective.maximumBounds}::float8[])`,
    )
    .where(
      sql<boolean>`(o.initial_input, o.initial_output) = (${objective.initialInput}::float8[], ${objective.initialOutput}::float8[])`,
    )
    .where('o.desired_l1_norm', '=', objective.desiredL1Norm)
    .where('o.convergence', '=', objective.convergence)
    .where('o.maximum_attempts', '=', objective.maximumAttempts)
    .where('o.fixed_inputs', 'is', null)
    .where('o.constraints', 'is', null)
    .where('o.continues_id', 'is', null)
    .where('o.options', 'is', null)
    .$if(reuse !== undefined, (query) => query.where('o.reuse', '=', reuse!))
    .orderBy('o.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toObjective(row);
}

export interface StatedConstraints {
  readonly id: number;
  /** Fields stored beside the stated constraints are written back as they are. */
  readonly constraints: { readonly sent: readonly SentConstraint[] };
}

/** Up to `limit` objectives of a project with constraints of their own, by id, disabled ones included. */
export async function listConstraints(
  trx: Trx,
  accountId: number,
  projectId: number,
  after: number,
  limit: number,
): Promise<readonly StatedConstraints[]> {
  const rows = await trx
    .selectFrom('objectives')
    .select(['id', 'constraints'])
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('constraints', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as unknown as readonly StatedConstraints[];
}

/** Locks them in order of id. */
export async function storeConstraints(
  trx: Trx,
  accountId: number,
  changed: readonly StatedConstraints[],
): Promise<void> {
  const ids = changed.map(({ id }) => id);
  const texts = changed.map(({ constraints }) => JSON.stringify(constraints));
  await sql`
    with locked as materialized (
      select id from objectives where account_id = ${accountId} and id = any (${ids}::bigint[])
      order by id for update)
    update objectives o set constraints = c.text::jsonb
    from unnest(${ids}::bigint[], ${texts}::text[]) c (id, text) join locked on locked.id = c.id
    where o.id = c.id`.execute(trx);
}

/** Whether the account has at least `count` running objectives. Served by objectives_open; looks at `count` entries. */
export async function hasOpenObjectives(trx: Trx, accountId: number, count: number): Promise<boolean> {
  const row = await trx
    .selectFrom('objectives')
    .select('id')
    .where('account_id', '=', accountId)
    .where('stop_reason', '=', 0)
    .where('disabled_at', 'is', null)
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Running objectives of all accounts whose time is over. Served by objectives_until. */
export async function listOverdue(
  db: Db,
  now: Date,
  limit: number,
): Promise<readonly { readonly accountId: number; readonly objectiveId: number }[]> {
  return db
    .selectFrom('objectives')
    .select(['account_id as accountId', 'id as objectiveId'])
    .where('stop_reason', '=', 0)
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`options #>> '{stop,until}' <= ${now.toISOString()}`)
    .limit(limit)
    .execute();
}

export interface NewObjectiveRow
  extends Pick<
    Objective,
    | 'trialId'
    | 'objectives'
    | 'objectiveTypes'
    | 'minimumBounds'
    | 'maximumBounds'
    | 'desiredL1Norm'
    | 'convergence'
    | 'initialInput'
    | 'initialOutput'
    | 'maximumAttempts'
    | 'stopReason'
    | 'seed'
    | 'reuse'
    | 'continuesId'
    | 'fixedInputs'
    | 'constraints'
    | 'dataRevision'
    | 'parallelism'
    | 'holdBack'
    | 'batchId'
    | 'options'
  > {
  readonly modelId: number;
  readonly projectId: number;
}

/** Gives the objective the next number of its trial. The caller holds the lock of the trial. */
export async function insertObjective(
  trx: Trx,
  accountId: number,
  objective: NewObjectiveRow & NearestSoFar,
): Promise<number> {
  const row = await trx
    .insertInto('objectives')
    .values({
      account_id: accountId,
      model_id: objective.modelId,
      project_id: objective.projectId,
      trial_id: objective.trialId,
      number: sql<number>`(select coalesce(max(number), 0) + 1 from objectives where trial_id = ${objective.trialId})`,
      objectives: objective.objectives,
      objective_types: objective.objectiveTypes,
      minimum_bounds: objective.minimumBounds,
      maximum_bounds: objective.maximumBounds,
      desired_l1_norm: objective.desiredL1Norm,
      convergence: objective.convergence,
      initial_input: objective.initialInput,
      initial_output: objective.initialOutput,
      maximum_attempts: objective.maximumAttempts,
      stop_reason: objective.stopReason,
      seed: objective.seed,
      reuse: objective.reuse,
      continues_id: objective.continuesId,
      fixed_inputs: objective.fixedInputs,
      constraints: objective.constraints === null ? null : JSON.stringify(objective.constraints),
      data_revision: objective.dataRevision,
      parallelism: objective.parallelism,
      hold_back: objective.holdBack,
      batch_id: objective.batchId,
      options: objective.options === null ? null : JSON.stringify(objective.options),
      ...nearestColumns(objective),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Fields about the nearest run that are stored once its case is known. */
export type NearestIteration = Pick<NearestSoFar, 'nearestIteration' | 'judgedThrough'>;

export function nearestColumns(nearest: NearestSoFar) {
  return {
    nearest_case: nearest.nearestCase,
    nearest_case_input: nearest.nearestCaseInput,
    nearest_case_output: nearest.nearestCaseOutput,
    nearest_iteration: nearest.nearestIteration,
    judged_through: nearest.judgedThrough,
  };
}

export interface ObjectiveChange {
  readonly stopReason?: StopReason;
  /** With the stop reason STOPPED. */
  readonly ended?: Ending;
  readonly optimalInverseId?: number | null;
  readonly initialOutput?: readonly number[];
  readonly parallelism?: number;
  readonly holdBack?: boolean;
  readonly nearestIteration?: number | null;
}

/** The caller holds the lock of the row. */
export async function updateObjective(trx: Trx, id: number, change: ObjectiveChange): Promise<Objective> {
  const row = await trx
    .updateTable('objectives as o')
    .set({
      ...(change.stopReason === undefined ? {} : { stop_reason: change.stopReason }),
      ...(change.ended === undefined ? {} : { ended: JSON.stringify(change.ended) }),
      ...(change.optimalInverseId === undefined ? {} : { optimal_inverse_id: change.optimalInverseId }),
      ...(change.initialOutput === undefined ? {} : { initial_output: change.initialOutput }),
      ...(change.parallelism === undefined ? {} : { parallelism: change.parallelism }),
      ...(change.nearestIteration === undefined ? {} : { nearest_iteration: change.nearestIteration }),
      ...(change.holdBack === undefined ? {} : { hold_back: change.holdBack }),
      version: sql<number>`o.version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('o.id', '=', id)
    .returning(OBJECTIVE_COLUMNS)
    .returning(LABELS)
    .executeTakeFirstOrThrow();
  return toObjective(row);
}
