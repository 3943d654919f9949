/**
 * The statements of one cycle, recorded from the service itself and replayed by pg alone: the ceiling that the service is
 * held against. Recorded values that are ids of the recorded cycle are replaced by those of the replayed objective.
 */
import pg from 'pg';

export interface Statement {
  readonly text: string;
  /** Of a prepared statement. */
  readonly name?: string;
  readonly values: readonly unknown[];
}

let recorded: Statement[] | undefined;
const query = pg.Client.prototype.query;

/** What connections do on their own account. */
const NO_PART = new Set(['select 1', 'discard plans']);

// In place before the first connection is opened: connections keep the function that they find then.
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
  const [first, second] = args;
  const { values, ...statement } =
    typeof first === 'string' ? { text: first, values: second } : (first as pg.QueryConfig);
  if (!NO_PART.has(statement.text)) recorded?.push({ ...statement, values: Array.isArray(values) ? values : [] });
  return Reflect.apply(query, this, args);
} as typeof query;

/** Records every query of every connection of this process while `work` runs. */
export async function recordStatements(work: () => Promise<void>): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  recorded = statements;
  try {
    await work();
  } finally {
    recorded = undefined;
  }
  return withoutIdleClaims(statements);
}

const isClaim = ({ text }: Statement) => text.includes('claim_jobs');

/** After a job the worker looks for another one; in a replay that look would take other clients' jobs. */
function withoutIdleClaims(recorded: readonly Statement[]): readonly Statement[] {
  const first = recorded.findIndex(isClaim);
  return recorded.filter((statement, index) => index === first || !isClaim(statement));
}

export interface CycleIds {
  objectiveId: number;
  inverseId: number;
  jobId: number;
  leaseToken: string;
  iteration: number;
}

const KEYS = ['objectiveId', 'inverseId', 'jobId', 'leaseToken', 'iteration'] as const;

/** The ids in a recording of one cycle, to be replaced. `iteration` is the one that was opened. */
export function findIds(
  statements: readonly Statement[],
  known: Pick<CycleIds, 'objectiveId' | 'inverseId' | 'iteration'>,
) {
  const finish = statements.find(({ text }) => text.includes('delete from suggestion_jobs'))!;
  const [jobId, leaseToken] = finish.values as [number, string];
  return { ...known, jobId, leaseToken };
}

/**
 * Runs the recorded cycle once, in order, on one connection. `own` follows what the claim hands out: clients that run at
 * once may swap objectives, as workers do.
 */
export async function replayCycle(
  client: pg.Client,
  statements: readonly Statement[],
  recorded: CycleIds,
  own: CycleIds,
): Promise<void> {
  const replace = (value: unknown): unknown => {
    const key = KEYS.find((name) => value === recorded[name] || value === String(recorded[name]));
    if (key === undefined) return value;
    return typeof value === 'string' ? String(own[key]) : own[key];
  };
  for (const statement of statements) {
    const values = isClaim(statement) ? [1, ...statement.values.slice(1)] : statement.values.map(replace);
    let { rows } = await client.query({ ...statement, values });
    while (isClaim(statement) && rows.length === 0) ({ rows } = await client.query({ ...statement, values }));
    follow(statement, rows, own);
  }
}

function follow(statement: Statement, rows: readonly Record<string, unknown>[], own: CycleIds): void {
  if (statement.text.startsWith('insert into "inverses"')) own.inverseId = Number(rows[0]!.id);
  if (statement.text.includes('order by "i"."iteration" desc') && rows[0]?.output !== null) {
    own.iteration = Number(rows[0]!.iteration) + 1;
  }
  if (!isClaim(statement)) return;
  own.jobId = Number(rows[0]!.id);
  own.objectiveId = Number(rows[0]!.objectiveId);
  own.inverseId = Number(rows[0]!.inverseId);
  own.leaseToken = String(rows[0]!.leaseToken);
}
