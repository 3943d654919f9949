import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './schema.ts';
import type { Db } from './transaction.ts';

export interface ClientSettings {
  readonly url: string;
  readonly poolSize: number;
  /** A statement that runs longer is cancelled by the server; 0 = no limit. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly applicationName: string;
  /** Told about idle connections that the server closed; without a listener such an event would end the process. */
  readonly onConnectionError: (error: Error) => void;
}

/** Identities are read as numbers; beyond 2^53 one would lose digits, which generated identities never reach. */
const INT8_OID = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** One pool per process. Connecting waits at most 5 s, so that an absent database is an answer, not a hang. */
export function connect(settings: ClientSettings): Db {
  const pool = new pg.Pool({
    connectionString: settings.url,
    max: settings.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: settings.statementTimeoutMs,
    // The server cancels first; this one is for a server that no longer answers at all (half-open connection).
    query_timeout: settings.statementTimeoutMs === 0 ? undefined : settings.statementTimeoutMs + 5_000,
    lock_timeout: settings.lockTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
    application_name: settings.applicationName,
    types: types as unknown as pg.CustomTypesConfig,
  });
  pool.on('error', settings.onConnectionError);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
