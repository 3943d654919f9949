import { Kysely, PostgresAdapter, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Database } from '../schema.ts';
import { ConnectionShares, sharesOf } from './connection-shares.ts';
import { hostClient } from './hosts.ts';
import { StatementNames } from './prepared-statements.ts';
import { type AroundStatement, namedDiskFull, Session, type SessionSettings } from './session.ts';
import type { Db } from './transaction.ts';

export interface ClientSettings {
  readonly url: string;
  readonly poolSize: number;
  /** A statement that runs longer is cancelled by the server; 0 = no limit. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly applicationName: string;
  /** Whether statements are prepared once per connection; default: true. Some poolers cannot take that. */
  readonly preparesStatements?: boolean;
  /** Called for connections that the server closed while they idled; without a listener the event would end the process. */
  readonly onConnectionError: (error: Error) => void;
  /** Runs every statement, to see how long it takes; must return what `run` returns. */
  readonly aroundStatement?: AroundStatement;
  /** Called when the database has no disk space left. */
  readonly onDiskFull?: () => void;
}

export type { AroundStatement };

export interface PoolUsage {
  /** Connections that may be open at a time. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

interface SharedPool {
  readonly pool: pg.Pool;
  /** Takes a connection out of it; `onRelease` is called when it goes back. */
  readonly open: (onRelease?: () => void) => Promise<Session>;
  readonly shares: ConnectionShares;
  /** Handles of accounts, the one used last at the end. */
  readonly byAccount: Map<number, Db>;
}

const pools = new WeakMap<Db, SharedPool>();

/** Usage of the pool of a handle that `connect` made. */
export function poolUsage(db: Db): PoolUsage {
  const { pool } = sharedPool(db);
  return { size: pool.options.max, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/** Handles kept; making another takes some microseconds. */
const KEPT_HANDLES = 1_000;

/**
 * A handle on the same pool for one account: it never holds more than the account's share of the connections, however many
 * statements it is given. `db` is a handle that `connect` made; the account's handle need not be destroyed.
 */
export function forAccount(db: Db, accountId: number): Db {
  const shared = sharedPool(db);
  const { byAccount } = shared;
  const handle = byAccount.get(accountId) ?? makeHandle(shared.pool, () => connectShared(shared, accountId));
  byAccount.delete(accountId);
  byAccount.set(accountId, handle);
  if (byAccount.size > KEPT_HANDLES) byAccount.delete(byAccount.keys().next().value!);
  return handle;
}

async function connectShared({ open, shares }: SharedPool, accountId: number): Promise<Session> {
  const leave = await shares.enter(accountId);
  return open(leave).catch((error: unknown) => {
    leave();
    throw error;
  });
}

function makeHandle(pool: pg.Pool, open: () => Promise<Session>, end = async () => {}): Db {
  // Kysely also knows cursors, which are never used.
  const connect = open as () => Promise<unknown> as () => Promise<PostgresPoolClient>;
  return new Kysely<Database>({ dialect: new Dialect({ pool: { connect, end, options: pool.options } }) });
}

function sharedPool(db: Db): SharedPool {
  const shared = pools.get(db);
  if (shared === undefined) throw new Error('this handle has no pool of its own');
  return shared;
}

/** Identities are read as numbers: generated ones never reach 2^53, beyond which digits would be lost. */
const INT8_OID = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** Transactions await only SQL: one that idles belongs to a process that hangs or is gone, and it holds locks. */
export const IDLE_IN_TRANSACTION_LIMIT_MS = 10_000;

/** A live server closes a connection within milliseconds; a half-open connection never closes. */
const END_LIMIT_MS = 2_000;

/** An absent database must lead to an answer, not a hang. */
const CONNECTING_LIMIT_MS = 5_000;

/** One pool per process. */
export function connect(settings: ClientSettings): Db {
  const { onDiskFull = () => undefined, aroundStatement } = settings;
  const names = settings.preparesStatements === false ? undefined : new StatementNames();
  const sessions: SessionSettings = { names, aroundStatement, onDiskFull };
  const pool = new pg.Pool({
    ...hostClient(settings.url),
    max: settings.poolSize,
    connectionTimeoutMillis: CONNECTING_LIMIT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: settings.statementTimeoutMs,
    // The server cancels first; this limit is for one that no longer answers (half-open connection).
    query_timeout: settings.statementTimeoutMs === 0 ? undefined : settings.statementTimeoutMs + 5_000,
    lock_timeout: settings.lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_LIMIT_MS,
    application_name: settings.applicationName,
    types: types as unknown as pg.CustomTypesConfig,
  });
  const connections = new Set<pg.Client>();
  pool.on('connect', (connection) => {
    const client = connection as unknown as pg.Client;
    connections.add(client);
    // Connections in use report errors only here, idle ones also to the pool. An 'error' event without a listener ends the process.
    client.on('error', settings.onConnectionError);
    // Statements are small and many: compiling one takes longer than running it, even where its estimated cost is high.
    client.query('set jit = off').catch(() => undefined);
  });
  pool.on('error', () => undefined);
  const allClosed = Promise.withResolvers<void>();
  pool.on('remove', (connection) => {
    connections.delete(connection as unknown as pg.Client);
    if (pool.ended && connections.size === 0) allClosed.resolve();
  });
  const end = async (): Promise<void> => {
    const cut = setTimeout(() => {
      for (const client of connections) client.connection.stream.destroy();
    }, END_LIMIT_MS);
    await pool.end();
    // The pool ends each connection without waiting until it is closed.
    if (connections.size > 0) await allClosed.promise;
    clearTimeout(cut);
  };
  // A new session may have to write before its first statement.
  const open = async (onRelease = () => {}) => {
    const client = await pool.connect().catch((error: unknown) => {
      throw namedDiskFull(error, onDiskFull);
    });
    return new Session(client, sessions, onRelease);
  };
  const db = makeHandle(pool, () => open(), end);
  pools.set(db, {
    pool,
    open,
    shares: new ConnectionShares(sharesOf(settings.poolSize), CONNECTING_LIMIT_MS),
    byAccount: new Map(),
  });
  return db;
}

/** migrate.ts takes the lock of migrations itself. */
class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    const adapter = new PostgresAdapter();
    adapter.acquireMigrationLock = async () => undefined;
    adapter.releaseMigrationLock = async () => undefined;
    return adapter;
  }
}
