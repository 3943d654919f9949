import { Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import pg from 'pg';
import { diskFull } from '../../domain/errors.ts';
import type { Database } from '../schema.ts';
import { ConnectionShares, sharesOf } from './connection-shares.ts';
import { isOutOfSpace } from './disk-space.ts';
import { hostClient } from './hosts.ts';
import { StatementNames } from './prepared-statements.ts';
import { type Db, databaseTrouble, isPlanOutdated, isReadOnly, isSilence } from './transaction.ts';

export interface ClientSettings {
  readonly url: string;
  readonly poolSize: number;
  /** A statement that runs longer is cancelled by the server; 0 = no limit. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly applicationName: string;
  /** Whether statements are prepared once per connection; true unless given. Some poolers cannot take that. */
  readonly preparesStatements?: boolean;
  /** Called for connections that the server closed while they idled; without a listener the event would end the process. */
  readonly onConnectionError: (error: Error) => void;
  /** Runs every statement, to see how long it takes; must return what `run` returns. */
  readonly aroundStatement?: AroundStatement;
  /** Called when the database has no disk space left. */
  readonly onDiskFull?: () => void;
}

export type AroundStatement = <T>(text: string, run: () => Promise<T>) => Promise<T>;

export interface PoolUsage {
  /** Connections that may be open at once. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

interface SharedPool {
  readonly pool: pg.Pool;
  /** Takes a connection out of it. */
  readonly open: () => Promise<pg.PoolClient>;
  readonly shares: ConnectionShares;
  /** Handles of accounts, the one used last at the end. */
  readonly byAccount: Map<number, Db>;
}

const pools = new WeakMap<Db, SharedPool>();

/** Of a handle that `connect` made. */
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

async function connectShared({ open, shares }: SharedPool, accountId: number): Promise<pg.PoolClient> {
  const leave = await shares.enter(accountId);
  try {
    const client = await open();
    const release = client.release;
    client.release = (error) => {
      client.release = release;
      leave();
      release.call(client, error);
    };
    return client;
  } catch (error) {
    leave();
    throw error;
  }
}

function makeHandle(pool: pg.Pool, connect: () => Promise<pg.PoolClient>, end = async () => {}): Db {
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

/**
 * Maximum age of a plan. The best plan for tables of one page is wrong for tables of a thousand, and statistics may be a
 * minute late. Planning again costs some 5 ms per connection.
 */
const PLAN_LIFETIME_MS = 10_000;

/** Transactions await only SQL: one that idles belongs to a process that hangs or is gone, and it holds locks. */
export const IDLE_IN_TRANSACTION_LIMIT_MS = 10_000;

/** A live server closes a connection within milliseconds; a half-open connection never closes. */
const END_LIMIT_MS = 2_000;

/** An absent database must lead to an answer, not a hang. */
const CONNECTING_LIMIT_MS = 5_000;

/** One pool per process. */
export function connect(settings: ClientSettings): Db {
  const names = settings.preparesStatements === false ? undefined : new StatementNames();
  const { onDiskFull = () => undefined } = settings;
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
    cutWhenUseless(client);
    nameDiskFull(client, onDiskFull);
    if (names !== undefined) nameStatements(client, names);
    if (settings.aroundStatement !== undefined) runStatementsWithin(client, settings.aroundStatement);
  });
  if (names !== undefined) renewPlans(pool);
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
  const open = () => namingDiskFull(() => pool.connect(), onDiskFull);
  const db = makeHandle(pool, open, end);
  pools.set(db, {
    pool,
    open,
    shares: new ConnectionShares(sharesOf(settings.poolSize), CONNECTING_LIMIT_MS),
    byAccount: new Map(),
  });
  return db;
}

/** Rejects with DISK_FULL, and reports it, when the database has no disk space left. */
async function namingDiskFull<T>(work: () => Promise<T>, onDiskFull: () => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    onDiskFull();
    throw diskFull(error);
  }
}

function nameDiskFull(client: pg.Client, onDiskFull: () => void): void {
  const query = client.query.bind(client) as (...parameters: readonly unknown[]) => Promise<unknown>;
  const naming = (...parameters: readonly unknown[]) => namingDiskFull(() => query(...parameters), onDiskFull);
  client.query = naming as typeof client.query;
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

function nameStatements(client: pg.Client, names: StatementNames): void {
  const query = client.query.bind(client) as (...parameters: readonly unknown[]) => Promise<unknown>;
  const { parsedStatements } = client.connection as unknown as { readonly parsedStatements: object };
  const failures = new Map<string, number>();
  const prepared = async (name: string, text: unknown, values: unknown): Promise<unknown> => {
    const failed = failures.get(name) ?? 0;
    const given = failed === 0 ? name : `${name}.${failed}`;
    try {
      return await query({ name: given, text, values });
    } catch (error) {
      // PgBouncer considers a name used even when its statement was never parsed, such as after a failure in a transaction.
      if (!(given in parsedStatements)) failures.set(name, failed + 1);
      throw error;
    }
  };
  const named = (text: unknown, values: unknown): Promise<unknown> => {
    // Without values it is begin, commit or the text of a migration.
    const isPlain = typeof text !== 'string' || !Array.isArray(values) || values.length === 0;
    const name = isPlain ? undefined : names.find(text);
    return name === undefined ? query(text, values) : prepared(name, text, values);
  };
  client.query = named as typeof client.query;
}

/** Statements stay prepared; only their plans are renewed, for the tables as they are then. */
function renewPlans(pool: pg.Pool): void {
  const plannedAt = new WeakMap<pg.PoolClient, number>();
  pool.on('acquire', (connection) => {
    const now = performance.now();
    const before = plannedAt.get(connection);
    if (before !== undefined && now - before < PLAN_LIFETIME_MS) return;
    plannedAt.set(connection, now);
    // Runs before what the connection was acquired for, which meets the same error when it is lost.
    if (before !== undefined) connection.query('discard plans').catch(() => undefined);
  });
}

function runStatementsWithin(client: pg.Client, around: AroundStatement): void {
  const query = client.query.bind(client) as (...parameters: readonly unknown[]) => Promise<unknown>;
  const seen = (...parameters: readonly unknown[]): Promise<unknown> => {
    const [text] = parameters;
    return typeof text === 'string' ? around(text, () => query(...parameters)) : query(...parameters);
  };
  client.query = seen as typeof client.query;
}

const ROLLED_BACK = { command: 'ROLLBACK', rowCount: null, rows: [] };

/**
 * A connection whose server stays silent past query_timeout is half open. pg would keep using it, with the unanswered
 * statement ahead of every later one. Once ended, it leaves the pool, and the caller's rollback fails at once. The same goes
 * for a connection with a plan from before a column changed its type, and for one to a server that takes no writes any more: another
 * host may.
 */
function cutWhenUseless(client: pg.Client): void {
  const query = client.query.bind(client) as (...parameters: readonly unknown[]) => Promise<unknown>;
  const cutting = async (...parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await query(...parameters);
    } catch (error) {
      if (isSilence(error) || isPlanOutdated(error) || isReadOnly(error)) void client.end();
      // The server undoes the transaction of a lost connection; the caller needs the error that made it roll back.
      if (parameters[0] === 'rollback' && databaseTrouble(error) === 'away') return ROLLED_BACK;
      throw error;
    }
  };
  client.query = cutting as typeof client.query;
}
