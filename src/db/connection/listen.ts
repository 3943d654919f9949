/**
 * One dedicated LISTEN connection per process. Notifications are hints: they may be late or lost, and every
 * listener polls as well. A broken connection is replaced; after every (re)connection all listeners are notified once, because
 * anything may have happened meanwhile. A silent death is found by a heartbeat. So is a connection on which everything works
 * but notifications, as through a pooler that gives a session away after every transaction.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { type HostClient, hostClient } from './hosts.ts';
import type { Db } from './transaction.ts';

export type Notified = (payload: string) => void;

export interface ListenerSettings {
  readonly url: string;
  readonly applicationName: string;
  readonly heartbeatMs: number;
  /** Pause before the first attempt to reconnect; it doubles from attempt to attempt, up to tenfold. */
  readonly reconnectMs: number;
  readonly onError: (error: Error) => void;
  /** Test whether notifications arrive; without it, nothing checks. */
  readonly probe?: Probe;
}

interface Probe {
  /** Sends over another connection, as real notifications are sent. */
  notify(channel: string, payload: string): Promise<unknown>;
  /** Called once per connection if the probe has not arrived by the first heartbeat. */
  onDeaf(): void;
}

const PROBE_CHANNEL = 'backsolve_probe';

/** Time that stopping waits for the server to close the connection; a half-open one never would. */
const END_LIMIT_MS = 2_000;

/** Notifies every process that listens to `channel`. */
export async function notify(db: Db, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}

/** Payload handed to listeners after a (re)connection. */
export const ANYTHING = '';

export class Listener {
  readonly #settings: ListenerSettings;
  readonly #hosts: HostClient;
  readonly #listeners = new Map<string, Set<Notified>>();
  #client: pg.Client | undefined;
  /** Statements of the connection, one after the other. */
  #statements: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = true;
  #isConnected = false;
  /** Attempts to connect that failed since the last one that did not. */
  #failures = 0;
  /** Probes sent to this process that have not arrived yet. */
  #probe: string | undefined;

  constructor(settings: ListenerSettings) {
    this.#settings = settings;
    this.#hosts = hostClient(settings.url);
    if (settings.probe === undefined) return;
    this.subscribe(PROBE_CHANNEL, (payload) => {
      if (payload === this.#probe) this.#probe = undefined;
    });
  }

  /** Begins connecting; does not wait for it, since nothing depends on the connection. */
  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    void this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const cut = setTimeout(() => client.connection.stream.destroy(), END_LIMIT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(cut);
  }

  /** Calls `notified` for every notification on `channel` until the returned function is called. */
  subscribe(channel: string, notified: Notified): () => void {
    const known = this.#listeners.get(channel);
    const listeners = known ?? new Set<Notified>();
    if (known === undefined) {
      this.#listeners.set(channel, listeners);
      // During a connection attempt, #connect listens to all channels known when it is done.
      if (this.#isConnected && this.#client !== undefined)
        void this.#listen(this.#client, channel).catch(() => undefined);
    }
    listeners.add(notified);
    return () => listeners.delete(notified);
  }

  async #connect(): Promise<void> {
    const { Client, connectionString } = this.#hosts;
    const client = new Client({
      connectionString,
      application_name: this.#settings.applicationName,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('the LISTEN connection ended')));
    client.on('notification', ({ channel, payload }) => this.#dispatch(channel, payload ?? ''));
    this.#client = client;
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await this.#listen(client, channel);
      this.#isConnected = true;
      this.#failures = 0;
    } catch (error) {
      this.#lost(client, error as Error);
      return;
    }
    if (this.#client !== client) return;
    for (const channel of this.#listeners.keys()) this.#dispatch(channel, ANYTHING);
    this.#scheduleHeartbeat(client);
    this.#sendProbe();
  }

  #sendProbe(): void {
    const probe = randomUUID();
    this.#probe = probe;
    // A probe that was not sent proves nothing.
    this.#settings.probe?.notify(PROBE_CHANNEL, probe).catch(() => {
      if (this.#probe === probe) this.#probe = undefined;
    });
  }

  #judgeProbe(): void {
    if (this.#probe !== undefined) this.#settings.probe?.onDeaf();
    this.#probe = undefined;
  }

  #listen(client: pg.Client, channel: string): Promise<unknown> {
    return this.#query(client, `listen ${pg.escapeIdentifier(channel)}`);
  }

  #query(client: pg.Client, text: string): Promise<unknown> {
    const answer = this.#statements.then(() => client.query(text));
    this.#statements = answer.catch(() => undefined);
    return answer;
  }

  #scheduleHeartbeat(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      this.#judgeProbe();
      this.#query(client, 'select 1').then(
        () => this.#client === client && this.#scheduleHeartbeat(client),
        (error: Error) => this.#lost(client, error),
      );
    }, this.#settings.heartbeatMs);
  }

  #lost(client: pg.Client, error: Error): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isConnected = false;
    this.#statements = Promise.resolve();
    clearTimeout(this.#timer);
    // A half-open socket never closes on its own.
    client.connection.stream.destroy();
    if (this.#isStopped) return;
    this.#settings.onError(error);
    const pauseMs = this.#settings.reconnectMs * Math.min(10, 2 ** this.#failures++);
    this.#timer = setTimeout(() => void this.#connect(), pauseMs);
  }

  #dispatch(channel: string, payload: string): void {
    for (const notified of this.#listeners.get(channel) ?? []) notified(payload);
  }
}
