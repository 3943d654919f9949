/** Reads the data that a suggestion is computed from: the current data, and those from which a stored suggestion was computed. */
import { type RawBuilder, sql } from 'kysely';
import type { Matrix } from '../../domain/matrix.ts';
import type { InputDetails, InputSpace, InputType } from '../../domain/problem/input-space.ts';
import type { LearnedFrom } from '../../domain/search/inverse.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { decodeMatrix, matrixColumn } from '../matrices.ts';
import { columns, OBJECTIVE_WITH_PARENTS, type Row, readWithParents } from './iteration-rows.ts';
import {
  CASE_COLUMNS,
  type CaseColumns,
  caseSources,
  gatheredRuns,
  type KnownCases,
  type KnownRuns,
  newestRuns,
  OTHER_RUNS,
  type RunColumns,
  toKnownCases,
  toKnownRuns,
  WAS_RUN,
} from './known-runs.ts';
import type { ObjectiveWithParents } from './objectives.ts';
import { openInverses } from './open-inverses.ts';
import { SEARCH_COLUMNS, type Search, toSearch } from './search-ledger.ts';
import { bySource, type CoarseRuns, type PendingColumns } from './source-rows.ts';

/** Data that a suggestion is computed from. */
export interface Snapshot extends KnownCases {
  readonly objective: ObjectiveWithParents;
  readonly space: InputSpace;
  /** Runs of the trial's other objectives, as far as the objective learns from them, by objective and iteration. */
  readonly others: KnownRuns;
  /**
   * Its own inverses that were run, from the initial point, which is iteration 1, in order of iteration; without excluded
   * ones. Outputs of failed runs are NaN.
   */
  readonly iterations: readonly number[];
  /** null for the initial point. */
  readonly completedOrders: readonly (number | null)[];
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  /** One row per iteration, NaN where not known; null without any. */
  readonly jacobians: Matrix | null;
  /** Its open inverses with their inputs, in order of iteration. */
  readonly pendingIterations: readonly number[];
  readonly pending: Matrix;
  /** Runs of the cheaper sources of the project; empty without any. Everything above is of the fine source. */
  readonly coarse: readonly CoarseRuns[];
  /** Open inverses of all sources, in order of iteration. */
  readonly openIterations: readonly number[];
  /** Number of its inverses that had been completed or given up. */
  readonly basis: number;
  /** To which the suggestion is written. */
  readonly search: Search;
  /** To be stored with the suggestion: what `readSnapshotOf` needs. */
  readonly learnedFrom: LearnedFrom | null;
}

interface PlainRow extends Omit<InputSpace, 'inputTypes' | 'details'>, PendingColumns {
  readonly inputTypes: readonly string[];
  readonly inputDetails: unknown;
  readonly inputCases: Buffer;
  readonly outputCases: Buffer;
  readonly caseJacobians: Buffer | null;
  readonly failedCases: readonly number[];
}

interface SnapshotRow extends PlainRow, CaseColumns {
  readonly revision: number;
}

const SPACE = sql`p.minimums, p.maximums, p.input_types as "inputTypes", p.categories, p.input_details as "inputDetails", p.sources as "projectSources"`;

/** The columns of `runs` under names that begin with `prefix`. */
function runColumns(runs: string, prefix: string) {
  return sql.join(RUN_NAMES.map((name) => sql`${sql.ref(`${runs}.${name}`)} as ${sql.id(prefix + name)}`));
}

const OWN_RUNS = sql`(
  select i.iteration, i.objective_id, i.completed_order, i.input, i.output, i.jacobian, i.source
  from inverses i where i.objective_id = o.id and ${WAS_RUN} and i.excluded_at is null) i`;

/** The open inverses `i` of a table expression, as one row that `toPending` reads. */
function gatheredPending(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select array_agg(i.iteration order by i.iteration) as "pendingIterations",
      array_agg(i.source order by i.iteration) as "pendingSources",
      array_send(array_agg(i.input order by i.iteration)) as "pendingInputs"
    from ${from}`;
}

const OPEN_WITH_INPUT = gatheredPending(
  sql`(select i.iteration, i.input, i.source from ${openInverses(sql`o.id`)} where i.input is not null) i`,
);

const RUN_NAMES = [
  'objectiveIds',
  'iterations',
  'completedOrders',
  'inputs',
  'outputs',
  'jacobians',
  'sources',
] as const;
const [OWN, OTHER] = ['own.', 'other.'] as const;

function readRuns(row: Row, prefix: string): KnownRuns {
  return toKnownRuns(Object.fromEntries(RUN_NAMES.map((name) => [name, row[prefix + name]])) as unknown as RunColumns);
}

type OwnColumns = Omit<RunColumns, 'objectiveIds'>;

/** The cases as they were loaded and the own runs; with whether there is more, which makes the rest of the row useless. */
const selectPlain = compileSqlOnce<
  { accountId: number; objectiveId: number },
  Row & PlainRow & OwnColumns & { readonly isMoreKnown: boolean }
>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${SEARCH_COLUMNS}, p.input_count as "inputCount", ${SPACE},
      ${matrixColumn('p.input_cases')} as "inputCases", ${matrixColumn('s.output_cases')} as "outputCases",
      s.failed_cases as "failedCases", ${matrixColumn('s.jacobians')} as "caseJacobians",
      r.iterations, r."completedOrders", r.inputs, r.outputs, r.jacobians, r.sources,
      w."pendingIterations", w."pendingInputs", w."pendingSources",
      t.revision > 0 or o.continues_id is not null or o.reuse and exists (
        select from objectives q where q.trial_id = o.trial_id and q.id <> o.id and q.disabled_at is null) as "isMoreKnown"
    from objectives o
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    cross join lateral (${gatheredRuns(OWN_RUNS, { isOfOne: true })}) r
    cross join lateral (${OPEN_WITH_INPUT}) w
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

const selectSnapshot = compileSqlOnce<{ accountId: number; objectiveId: number }, Row & SnapshotRow>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${SEARCH_COLUMNS}, ${SPACE}, ${CASE_COLUMNS}, t.revision,
      ${runColumns('r', OWN)}, ${runColumns('x', OTHER)},
      w."pendingIterations", w."pendingInputs", w."pendingSources"
    from objectives o
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    ${caseSources(sql`t.revision`)}
    cross join lateral (${gatheredRuns(OWN_RUNS)}) r
    cross join lateral (${OTHER_RUNS}) x
    cross join lateral (${OPEN_WITH_INPUT}) w
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

/**
 * Undefined when the objective was deleted, or purged with what it needs. One statement in the usual case, with one look along
 * inverses_one_per_iteration; where more is known than it reads, another one reads everything again.
 */
export async function readSnapshot(
  db: Db,
  { accountId, objectiveId }: { readonly accountId: number; readonly objectiveId: number },
): Promise<Snapshot | undefined> {
  const [plain] = await selectPlain(db, { accountId, objectiveId });
  if (plain === undefined || plain['disabledAt'] !== null) return undefined;
  if (!plain.isMoreKnown) return toPlainSnapshot(plain);
  const [row] = await selectSnapshot(db, { accountId, objectiveId });
  return row === undefined || row['disabledAt'] !== null ? undefined : toSnapshot(row);
}

const NO_RUNS = toKnownRuns({
  objectiveIds: null,
  iterations: null,
  completedOrders: null,
  inputs: null,
  outputs: null,
  jacobians: null,
  sources: null,
});

function toPlainSnapshot(row: Row & PlainRow & OwnColumns): Snapshot {
  return {
    inputCases: decodeMatrix(row.inputCases),
    outputCases: decodeMatrix(row.outputCases),
    caseJacobians: row.caseJacobians && decodeMatrix(row.caseJacobians),
    failedCases: row.failedCases,
    caseNumbers: null,
    coarseCases: [],
    objective: readWithParents(row),
    space: toSpace(row),
    others: NO_RUNS,
    ...bySource(row, toKnownRuns({ ...row, objectiveIds: null }), []),
    basis: row['completedCount'] as number,
    search: toSearch(row),
    learnedFrom: null,
  };
}

/** The types and the details were checked before they were stored. */
function toSpace({ inputCount, minimums, maximums, inputTypes, categories, inputDetails }: PlainRow): InputSpace {
  const details = inputDetails === null ? {} : { details: inputDetails as InputDetails };
  return { inputCount, minimums, maximums, inputTypes: inputTypes as readonly InputType[], categories, ...details };
}

function toSnapshot(row: Row & SnapshotRow): Snapshot {
  const own = readRuns(row, OWN);
  const others = readRuns(row, OTHER);
  const cases = toKnownCases(row);
  return {
    ...cases,
    objective: readWithParents(row),
    space: toSpace(row),
    others,
    ...bySource(row, own, cases.coarseCases),
    basis: row['completedCount'] as number,
    search: toSearch(row),
    learnedFrom: describeKnown(row.revision, others),
  };
}

/** Iterations of an objective become known in the order of their completion; what completes later gets a higher order. */
function describeKnown(revision: number, { objectiveIds, iterations, completedOrders }: KnownRuns): LearnedFrom | null {
  const known = new Map<number, [id: number, iteration: number, completedOrder: number]>();
  for (const [row, id] of objectiveIds.entries()) {
    const highest = known.get(id)?.[2] ?? 0;
    known.set(id, [id, iterations[row]!, Math.max(highest, completedOrders[row] ?? 0)]);
  }
  return revision === 0 && known.size === 0 ? null : { revision, objectives: [...known.values()] };
}

/**
 * The inverses `i` of the table expression `from` that had been run, as they were at revision `k.revision` of the trial's data:
 * the oldest later correction says what held before it.
 */
function runsAsOf(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select i.objective_id, i.iteration, i.completed_order, i.input, i.source, case when c.id is null then i.output else c.old_output end as output,
      case when c.id is null then i.jacobian else c.old_jacobian end as jacobian
    from ${from}
    left join lateral (
      select c.id, c.old_output, c.old_jacobian, c.was_excluded from corrections c
      where c.inverse_id = i.id and c.revision > k.revision order by c.revision limit 1) c on true
    where (${WAS_RUN} or c.id is not null) and not coalesce(c.was_excluded, i.excluded_at is not null)`;
}

const selectSnapshotOf = compileSqlOnce<{ accountId: number; inverseId: number }, Row & SnapshotRow>(
  (value) => sql`
    with known as materialized (
      select i.objective_id, i.iteration, i.basis, i.pending, coalesce((i.learned_from->>'revision')::integer, 0) as revision,
        coalesce(i.learned_from->'objectives', '[]') as others
      from inverses i
      where i.account_id = ${value('accountId')} and i.id = ${value('inverseId')} and i.iteration > 1
        and i.input is not null)
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${SEARCH_COLUMNS}, ${SPACE}, ${CASE_COLUMNS}, k.revision,
      k.others as "knownOthers", k.basis as "knownBasis", ${runColumns('r', OWN)}, ${runColumns('x', OTHER)},
      w."pendingIterations", w."pendingInputs", w."pendingSources"
    from known k
    join objectives o on o.id = k.objective_id
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    ${caseSources(sql`k.revision`)}
    cross join lateral (${gatheredRuns(
      sql`(${runsAsOf(sql`(
        select * from inverses i
        where i.objective_id = o.id and i.iteration < k.iteration and i.iteration <> all (coalesce(k.pending, '{}'))
          and (k.basis is null or i.completed_order is null or i.completed_order <= k.basis)) i`)}) i`,
    )}) r
    cross join lateral (${gatheredRuns(
      newestRuns(
        runsAsOf(sql`
          jsonb_array_elements(k.others) q (entry)
          join inverses i on i.source is null and i.objective_id = (q.entry->>0)::bigint and i.iteration <= (q.entry->>1)::integer
            and (q.entry->>2 is null or i.completed_order is null or i.completed_order <= (q.entry->>2)::integer)`),
      ),
    )}) x
    cross join lateral (${gatheredPending(
      sql`(select * from inverses i where i.objective_id = o.id and i.iteration = any (k.pending)) i`,
    )}) w`,
);

/**
 * Rebuilds the data that a stored suggestion was computed from: cases added, runs loaded and corrections made since are
 * undone. Undefined unless the inverse has been suggested and everything that it learned from is still stored. Deleted
 * objectives count until they are purged. The limits and counters of the objective are those of now.
 */
export async function readSnapshotOf(
  db: Db,
  { accountId, inverseId }: { readonly accountId: number; readonly inverseId: number },
): Promise<Snapshot | undefined> {
  const [row] = await selectSnapshotOf(db, { accountId, inverseId });
  if (row === undefined) return undefined;
  const snapshot = { ...toSnapshot(row), basis: (row['knownBasis'] as number | null) ?? 0 };
  const found = snapshot.learnedFrom?.objectives ?? [];
  const known = row['knownOthers'] as LearnedFrom['objectives'];
  const isWhole =
    found.length === known.length &&
    known.every((entry, k) => entry.every((part, position) => part === found[k]![position]));
  return isWhole ? snapshot : undefined;
}

/** Trial in which an objective that is about to be stored looks for cases, and its limits. */
export interface NewLearner {
  readonly accountId: number;
  readonly trialId: number;
  readonly reuse: boolean;
  readonly continuesId: number | null;
}

const selectOtherRuns = compileSqlOnce<NewLearner, RunColumns>(
  (value) => sql`
    select x.*
    from (select 0::bigint as id, ${value('trialId')}::bigint as trial_id, ${value('reuse')}::boolean as reuse,
      ${value('continuesId')}::bigint as continues_id) o
    join trials t on t.id = o.trial_id
    join output_case_sets s on s.id = t.output_case_set_id
    cross join lateral (${OTHER_RUNS}) x
    where t.account_id = ${value('accountId')}`,
);

/** The runs of other objectives that a new objective of the trial will learn from. */
export async function readOtherRuns(trx: Trx, learner: NewLearner): Promise<KnownRuns> {
  const [row] = await selectOtherRuns(trx, learner);
  return toKnownRuns(row!);
}

const selectCases = compileSqlOnce<{ accountId: number; trialId: number }, CaseColumns>(
  (value) => sql`
    select ${CASE_COLUMNS}
    from trials t
    join projects p on p.id = t.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    ${caseSources(sql`t.revision`)}
    where t.account_id = ${value('accountId')} and t.id = ${value('trialId')}`,
);

/** All cases of a trial as they are now, designed and added. The trial must exist. */
export async function readKnownCases(trx: Trx, accountId: number, trialId: number): Promise<KnownCases> {
  const [row] = await selectCases(trx, { accountId, trialId });
  return toKnownCases(row!);
}
