/** A connection of the pool in the hands of Kysely, and the one road of every statement: timed, named, sent, its failure judged. */
import type pg from 'pg';
import { diskFull } from '../../domain/errors.ts';
import { isOutOfSpace } from './disk-space.ts';
import type { StatementNames } from './prepared-statements.ts';
import { databaseTrouble, isPlanOutdated, isReadOnly, isSilence } from './transaction.ts';

export type AroundStatement = <T>(text: string, run: () => Promise<T>) => Promise<T>;

/** Settings that the sessions of a pool share. */
export interface SessionSettings {
  /** Undefined: statements are not prepared. */
  readonly names: StatementNames | undefined;
  /** Runs every statement, to see how long it takes; must return what `run` returns. */
  readonly aroundStatement: AroundStatement | undefined;
  /** Called when the database has no disk space left. */
  readonly onDiskFull: () => void;
}

/**
 * Maximum age of a plan. The best plan for tables of one page is wrong for tables of a thousand, and statistics may be a
 * minute late. Planning again costs some 5 ms per connection.
 */
const PLAN_LIFETIME_MS = 10_000;

const ROLLED_BACK = { command: 'ROLLBACK', rowCount: null, rows: [] };

/** Knowledge about a connection as long as it is open. */
interface Known {
  plannedAt: number | undefined;
  /** Number of times that statements could not be parsed under a name. */
  readonly failures: Map<string, number>;
}

const known = new WeakMap<pg.PoolClient, Known>();

function knownOf(client: pg.PoolClient): Known {
  const found = known.get(client) ?? { plannedAt: undefined, failures: new Map() };
  known.set(client, found);
  return found;
}

type Query = (...parameters: readonly unknown[]) => Promise<pg.QueryResult>;

/** The part of a connection that Kysely's driver needs, from its acquisition to its release. */
export class Session {
  readonly #client: pg.PoolClient;
  readonly #settings: SessionSettings;
  readonly #onRelease: () => void;

  constructor(client: pg.PoolClient, settings: SessionSettings, onRelease: () => void) {
    this.#client = client;
    this.#settings = settings;
    this.#onRelease = onRelease;
    if (settings.names !== undefined) this.#renewPlans();
  }

  query(text: string, values?: readonly unknown[]): Promise<unknown> {
    const { aroundStatement } = this.#settings;
    return aroundStatement === undefined
      ? this.#named(text, values)
      : aroundStatement(text, () => this.#named(text, values));
  }

  release(error?: Error | boolean): void {
    this.#onRelease();
    this.#client.release(error);
  }

  /** Statements stay prepared; only their plans are renewed, for the tables as they are then. */
  #renewPlans(): void {
    const connection = knownOf(this.#client);
    const now = performance.now();
    const before = connection.plannedAt;
    if (before !== undefined && now - before < PLAN_LIFETIME_MS) return;
    connection.plannedAt = now;
    // Sent ahead of the statements to come, which meet the same error when the connection is lost.
    if (before !== undefined) this.query('discard plans').catch(() => undefined);
  }

  #named(text: string, values: readonly unknown[] | undefined): Promise<unknown> {
    // Without values it is begin, commit or the text of a migration.
    const name = values === undefined || values.length === 0 ? undefined : this.#settings.names?.find(text);
    return name === undefined ? this.#send(text, text, values) : this.#sendPrepared(name, text, values);
  }

  async #sendPrepared(name: string, text: string, values: readonly unknown[] | undefined): Promise<unknown> {
    const { failures } = knownOf(this.#client);
    const failed = failures.get(name) ?? 0;
    const given = failed === 0 ? name : `${name}.${failed}`;
    try {
      return await this.#send(text, { name: given, text, values });
    } catch (error) {
      // PgBouncer considers a name used even when its statement was never parsed, such as after a failure in a transaction.
      if (!this.#isParsed(given)) failures.set(name, failed + 1);
      throw error;
    }
  }

  #isParsed(name: string): boolean {
    const { connection } = this.#client as unknown as { connection: { readonly parsedStatements: object } };
    return name in connection.parsedStatements;
  }

  async #send(text: string, ...parameters: readonly unknown[]): Promise<unknown> {
    try {
      return await (this.#client.query as Query).apply(this.#client, [...parameters]);
    } catch (error) {
      return this.#afterFailure(text, error);
    }
  }

  /**
   * A connection whose server stays silent past query_timeout is half open. pg would keep using it, with the unanswered
   * statement ahead of every later one. Once ended, it leaves the pool, and the caller's rollback fails immediately. The same
   * goes for a connection with a plan from before a column changed its type, and for one to a server that takes no writes any
   * more: another host may.
   */
  #afterFailure(text: string, error: unknown): typeof ROLLED_BACK {
    if (isSilence(error) || isPlanOutdated(error) || isReadOnly(error)) {
      void (this.#client as unknown as pg.Client).end();
    }
    // The server undoes the transaction of a lost connection; the caller needs the error that made it roll back.
    if (text === 'rollback' && databaseTrouble(error) === 'away') return ROLLED_BACK;
    throw namedDiskFull(error, this.#settings.onDiskFull);
  }
}

/** DISK_FULL, reported, when the database has no disk space left; else the error itself. */
export function namedDiskFull(error: unknown, onDiskFull: () => void): unknown {
  if (!isOutOfSpace(error)) return error;
  onDiskFull();
  return diskFull(error);
}
