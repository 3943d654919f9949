/** The statement that writes a change of a search; see search-ledger.ts. It is put together from the parts that the change has. */
import { type RawBuilder, sql } from 'kysely';
import type { Inverse } from '../../domain/search/inverse.ts';
import { NO_NEAREST_CASE } from '../../domain/search/objective.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { listEvents, recordingEvents } from '../webhooks/events.ts';
import { inverseOf, nameOf, type Row, readInverse } from './iteration-rows.ts';
import type { LedgerChange, ObjectiveFields, OpenedInverse, OpenedJob } from './ledger-changes.ts';
import { COUNTED, partsOf, type Shape, told, type Value } from './ledger-parts.ts';
import { nearestColumns, type ObjectiveWithParents } from './objectives.ts';
import { type Search, toSearch } from './search-ledger.ts';

export type Written =
  | {
      readonly kind: 'written';
      readonly objective: ObjectiveWithParents;
      /** The one that was closed. */
      readonly inverse: Inverse | undefined;
      readonly opened: Inverse | undefined;
    }
  /** Nothing was written: somebody was faster, or the lease is lost. */
  | { readonly kind: 'outdated' }
  /** Nothing was written: the account has no room. */
  | { readonly kind: 'lacks'; readonly what: 'storage' | 'queue' };

type Values = Readonly<Record<string, unknown>>;

const OPENED = 'opened.';

function write(value: Value, shape: Shape): RawBuilder<Row> {
  const events = shape.tells
    ? [
        recordingEvents(
          value('accountId'),
          value('eventNames'),
          value('eventResourceIds'),
          sql`exists (select from gate)`,
        ),
      ]
    : [];
  const selected = [
    shape.looks ? sql`s.*, c."changedId"` : sql`c.*`,
    ...(shape.closes ? [inverseOf('r')] : []),
    ...(shape.opens ? [inverseOf('p', OPENED)] : []),
    ...(shape.job === 'opened' ? [sql`m."isWithinQuota"`, sql`m."hasRoomInQueue"`] : []),
    ...told(shape, value),
  ];
  const ctes = partsOf(value, shape).map(
    ([name, query]) => sql`${sql.id(name)} as ${sql.raw(MATERIALIZED.has(name) ? 'materialized ' : '')}(${query})`,
  );
  return sql<Row>`
    with ${sql.join([...ctes, ...events])}
    select ${sql.join(selected)}
    from ${shape.looks ? sql`search s` : sql`locked l`} left join changed c on true
    ${shape.closes ? sql`left join closed r on true` : sql``}
    ${shape.opens ? sql`left join opened p on true` : sql``}
    ${shape.job === 'opened' ? sql`left join room m on true` : sql``}`;
}

/** Looked at several times, or to be locked once. */
const MATERIALIZED: ReadonlySet<string> = new Set(['search', 'idle', 'locked', 'held', 'room', 'gate']);

type Statement = (db: Db | Trx, values: Values) => Promise<readonly Row[]>;

/** Few: acts have few shapes. */
const statements = new Map<string, Statement>();

function statementOf(shape: Shape): Statement {
  const key = JSON.stringify(shape);
  let statement = statements.get(key);
  if (statement === undefined) {
    statement = compileSqlOnce<Values, Row>((value) => write(value as Value, shape));
    statements.set(key, statement);
  }
  return statement;
}

function shapeOf({
  lease,
  closed,
  computed,
  removed,
  givenUp = [],
  opened,
  job,
  objective = {},
  events = [],
}: LedgerChange): Shape {
  return {
    hasLease: lease !== undefined,
    closes: closed !== undefined,
    computes: computed !== undefined,
    removes: removed !== undefined,
    givesUp: givenUp.length > 0,
    opens: opened !== undefined,
    job: job?.kind ?? 'stays',
    fields: Object.keys(objective).toSorted() as (keyof ObjectiveFields)[],
    tells: events.length > 0,
    looks: false,
  };
}

const NO_JOB = { requestId: null, traceParent: null, maximumQueued: 0, storedBytes: 0, storedRows: 0 };

function valuesOf(accountId: number, { objective, lastIteration }: Search, change: LedgerChange): Values {
  const { lease, closed, computed, removed, givenUp = [], opened, job, objective: fields = {}, events = [] } = change;
  const { ended, nearest, options, ...others } = fields;
  return {
    accountId,
    objectiveId: objective.id,
    version: objective.version,
    lastIteration,
    jobId: lease?.id,
    leaseToken: lease?.leaseToken,
    jobInverseId: lease?.inverseId,
    ...closed,
    closedId: closed?.inverseId,
    closedStatus: closed?.status,
    closedOutput: closed?.output,
    isLoaded: closed?.wasRun === true && closed.output !== null,
    ...computed,
    computedId: computed?.inverseId,
    computedStatus: computed?.status,
    computedOutput: computed?.output,
    learnedFrom: computed?.learnedFrom ? JSON.stringify(computed.learnedFrom) : null,
    removed,
    givenUp,
    numbered: closed?.isNumbered ? 1 : 0,
    askedBy: opened?.askedBy,
    askers: [],
    ...NO_JOB,
    ...job,
    ...others,
    ended: ended == null ? null : JSON.stringify(ended),
    options: options == null ? null : JSON.stringify(options),
    ...nearestColumns(nearest ?? { ...NO_NEAREST_CASE, nearestIteration: null, judgedThrough: null }),
    completions: (closed?.isNumbered ? 1 : 0) + givenUp.length,
    attempts: computed !== undefined && computed.output === null ? 1 : 0,
    finishedId: change.finished ?? null,
    ...listEvents(events),
  };
}

/** Writes a change if nothing has changed since the search was read. Waiting requests and workers hear of it on commit. */
export async function writeChange(
  db: Db | Trx,
  accountId: number,
  search: Search,
  change: LedgerChange,
): Promise<Written> {
  const [row] = await statementOf(shapeOf(change))(db, valuesOf(accountId, search, change));
  return row === undefined ? { kind: 'outdated' } : toWritten(row, change, search);
}

function toWritten(row: Row, { closed, opened, objective }: LedgerChange, known: Search): Written {
  if (row['changedId'] === null) {
    if (row['isWithinQuota'] === false) return { kind: 'lacks', what: 'storage' };
    return row['hasRoomInQueue'] === false ? { kind: 'lacks', what: 'queue' } : { kind: 'outdated' };
  }
  return {
    kind: 'written',
    objective: changedObjective(known.objective, objective, row),
    inverse: closed === undefined ? undefined : readInverse(row),
    opened: opened === undefined ? undefined : readInverse(row, OPENED),
  };
}

/** The objective as it was read, with what the change and the statement made of it: the version says that nothing else differs. */
function changedObjective(
  known: ObjectiveWithParents,
  { optimalIteration: _, nearest, ...fields }: ObjectiveFields = {},
  row: Row,
): ObjectiveWithParents {
  const counted = Object.fromEntries(COUNTED.map(nameOf).map((name) => [name, row[name]]));
  return { ...known, ...fields, ...nearest, ...counted };
}

/** Path of an objective; null: anywhere. */
export interface SearchPath {
  readonly objectiveId: number;
  readonly modelId: number | null;
  readonly projectId: number | null;
  readonly trialId: number | null;
}

const IDLE: Shape = { ...shapeOf({ opened: { askedBy: '' } }), job: 'opened', looks: true };

/**
 * Reads the search and, if it is idle, opens its next inverse with the job that computes it: where nothing is open, there is nothing
 * to decide. Idle is a search that runs, whose trial is active, that is where the request says, and that has no open inverse.
 * Undefined without such an objective.
 */
export async function openIfIdle(
  db: Db | Trx,
  accountId: number,
  path: SearchPath,
  { askedBy, job }: OpenedInverse & { readonly job: OpenedJob },
): Promise<{ readonly search: Search; readonly written: Written } | undefined> {
  const values = { accountId, ...path, askedBy, ...job, completions: 0, attempts: 0, finishedId: null };
  const [row] = await statementOf(IDLE)(db, values);
  if (row === undefined) return undefined;
  const search = toSearch(row);
  return { search, written: toWritten(row, { opened: { askedBy } }, search) };
}
