/**
 * The ledger of a search: one statement reads what every act on it needs, with the version of the objective, and one writes a
 * change. A write locks the objective, and writes nothing when the version is no longer the one that was read: whatever changes an
 * objective, its inverses or its job raises it. So everything that the writer relies on is as it was read, and no condition has to be
 * repeated, except for leases of jobs, which claims change without the lock.
 */
import { sql } from 'kysely';
import type { Inverse } from '../../domain/search/inverse.ts';
import type { OpenInverse } from '../../domain/search/opening.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { BASIS_OUTPUT } from './inverses.ts';
import {
  columns,
  inverseOf,
  OBJECTIVE_WITH_PARENTS,
  OPTIMAL_OUTPUT,
  type Row,
  readInverse,
  readWithParents,
} from './iteration-rows.ts';
import { LABELS, type ObjectiveWithParents } from './objectives.ts';
import { openInverses } from './open-inverses.ts';
import { INVERSE_COLUMNS } from './run-columns.ts';

/** The job of an objective. */
interface SearchJob {
  readonly id: number;
  readonly inverseId: number;
  /** Askers of the inverses that follow the one it computes. */
  readonly askers: readonly string[];
  /** null while no worker holds it. */
  readonly leaseToken: string | null;
}

/** An objective as a change of it needs to know it. */
export interface Search {
  /** With the version that the change repeats. */
  readonly objective: ObjectiveWithParents;
  /** In order of iteration. */
  readonly open: readonly OpenInverse[];
  readonly job: SearchJob | null;
  readonly lastIteration: number;
  readonly optimalOutput: readonly number[] | null;
  /** Output of the nearest inverse. */
  readonly nearestOutput: readonly number[] | null;
}

/** Columns of a Search beyond those of its objective `o`. */
export const SEARCH_COLUMNS = sql`
  ${OPTIMAL_OUTPUT}, (select q.output from inverses q where q.objective_id = o.id and q.iteration = o.nearest_iteration) as "nearestOutput",
  (select coalesce(json_agg(json_build_object('id', i.id, 'iteration', i.iteration, 'isSuggested', i.input is not null,
      'chance', i.chance) order by i.iteration), '[]')
    from ${openInverses(sql`o.id`)}) as open,
  (select json_build_object('id', j.id, 'inverseId', j.inverse_id, 'askers', j.askers,
      'leaseToken', j.lease_token)
    from suggestion_jobs j where j.objective_id = o.id) as job,
  (select max(q.iteration) from inverses q where q.objective_id = o.id) as "lastIteration"`;

const NAMES = ['open', 'job', 'lastIteration', 'optimalOutput', 'nearestOutput'] as const;

/** Reads a row with OBJECTIVE_WITH_PARENTS and SEARCH_COLUMNS. */
export function toSearch(row: Row): Search {
  const rest = Object.fromEntries(NAMES.map((name) => [name, row[name]]));
  return { objective: readWithParents(row), ...rest } as unknown as Search;
}

const selectSearch = compileSqlOnce<{ accountId: number; objectiveId: number }, Row>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS}, ${SEARCH_COLUMNS}
    from objectives o join trials t on t.id = o.trial_id
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

/** Deleted objectives included. Nothing is locked. */
export async function readSearch(db: Db | Trx, accountId: number, objectiveId: number): Promise<Search | undefined> {
  const [row] = await selectSearch(db, { accountId, objectiveId });
  return row && toSearch(row);
}

/** A search and the inverse that an act is about. */
export interface SearchAt extends Search {
  readonly inverse: Inverse;
}

const selectSearchAt = compileSqlOnce<{ accountId: number; inverseId: number }, Row>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS}, ${inverseOf('l')}, ${SEARCH_COLUMNS}
    from (select ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT} from inverses i
      where i.account_id = ${value('accountId')} and i.id = ${value('inverseId')}) l
    join objectives o on o.id = l."objectiveId" join trials t on t.id = o.trial_id`,
);

const selectNewest = compileSqlOnce<{ accountId: number; objectiveId: number }, Row>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS}, ${inverseOf('l')}, ${SEARCH_COLUMNS}
    from objectives o join trials t on t.id = o.trial_id
    cross join lateral (
      select ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT} from inverses i
      where i.objective_id = o.id order by i.iteration desc limit 1) l
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

/** With the inverse of the id, or the newest one of the objective; disabled ones included. */
export async function readSearchAt(
  db: Db | Trx,
  accountId: number,
  of: { readonly objectiveId: number } | { readonly inverseId: number },
): Promise<SearchAt | undefined> {
  const [row] =
    'inverseId' in of
      ? await selectSearchAt(db, { accountId, inverseId: of.inverseId })
      : await selectNewest(db, { accountId, objectiveId: of.objectiveId });
  return row && { ...toSearch(row), inverse: readInverse(row) };
}
