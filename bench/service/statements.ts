/** Records the statements that the service sends, seen at the driver. */
import pg from 'pg';

export interface Statement {
  readonly text: string;
  /** The connection that it was sent on. */
  readonly connection: unknown;
}

let recorded: Statement[] | undefined;
const query = pg.Client.prototype.query;

/** Housekeeping of connections. */
const NO_PART = new Set(['select 1', 'discard plans', 'set jit = off']);

// In place before the first connection is opened: connections keep the function that they find then.
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
  const [first] = args;
  const text = typeof first === 'string' ? first : (first as pg.QueryConfig).text;
  if (!NO_PART.has(text)) recorded?.push({ text, connection: this });
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
  return statements;
}
