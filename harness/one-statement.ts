/** One statement on a connection of its own. */
import pg from 'pg';

const CONNECT_LIMIT_MS = 10_000;

/** Returns the rows; [] for a text with several statements. */
export async function execute<Row>(url: string, statement: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    return ((await client.query(statement)).rows ?? []) as Row[];
  } finally {
    await client.end();
  }
}

/** The same server's URL with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
