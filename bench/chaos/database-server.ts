/** A real Postgres server whose process is ours to stop, kill and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { findBinaries, programIn } from '../../src/dev/postgres-binaries.ts';
import { processOptions, type ServerFiles } from '../../src/dev/postgres-programs.ts';
import { endLeftovers } from '../../src/dev/server-processes.ts';
import { chooseUser, locateCluster, reachableBinaries } from '../../src/dev/system-user.ts';

const READY_LIMIT_MS = 60_000;
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

export class DatabaseServer {
  readonly url: string;
  readonly #files: ServerFiles;
  readonly #settings: readonly string[];
  readonly #logFile: string;
  #process: ChildProcess | undefined;

  private constructor(url: string, files: ServerFiles, settings: readonly string[], logFile: string) {
    this.url = url;
    this.#files = files;
    this.#settings = settings;
    this.#logFile = logFile;
  }

  /** Makes the database in `folder` with the product's own embedded server, then takes over its files. */
  static async create(folder: string, settings: readonly string[]): Promise<DatabaseServer> {
    const dataDir = path.join(folder, 'data');
    const ignore = () => undefined;
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const embedded = await startEmbeddedPostgres({ dataDir, log });
    await embedded.stop();
    const cluster = await locateCluster(dataDir);
    const user = await chooseUser(cluster);
    const binaries = await reachableBinaries(await findBinaries(), user);
    const files = { binaries, user, cluster, durable: true };
    const server = new DatabaseServer(embedded.url, files, settings, path.join(folder, 'postgres.log'));
    process.once('exit', () => server.#process?.kill('SIGQUIT'));
    await server.start();
    return server;
  }

  /** Resolves when the server answers a statement. */
  async start(): Promise<void> {
    const log = await open(this.#logFile, 'a');
    const fixed = [`port=${new URL(this.url).port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const settings = [...fixed, ...this.#settings].flatMap((setting) => ['-c', setting]);
    const options = { ...processOptions(this.#files), detached: true, stdio: ['ignore', log.fd, log.fd] as const };
    this.#process = spawn(
      programIn(this.#files.binaries.folder, 'postgres'),
      ['-D', this.#files.cluster, ...settings],
      {
        ...options,
        stdio: ['ignore', log.fd, log.fd],
      },
    );
    await log.close();
    const deadline = performance.now() + READY_LIMIT_MS;
    while (!(await this.#answers())) {
      if (performance.now() > deadline) throw new Error(`the database did not start, see ${this.#logFile}`);
      await delay(50);
    }
  }

  async stop(mode: keyof typeof STOP_SIGNALS): Promise<void> {
    const running = this.#process!;
    const exited = once(running, 'exit');
    running.kill(STOP_SIGNALS[mode]);
    await exited;
  }

  /** As when the machine's out-of-memory killer takes the main process. */
  async kill(): Promise<void> {
    const running = this.#process!;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
    await endLeftovers(this.#files.cluster);
  }

  async close(): Promise<void> {
    if (this.#process?.exitCode === null && this.#process.signalCode === null) await this.stop('fast');
    await endLeftovers(this.#files.cluster);
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Statements of the harness itself: a connection that is made again when it was lost. */
export class Admin {
  readonly #url: string;
  #client: pg.Client | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Rejects when the database is away. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    this.#client ??= await this.#connect();
    const result = await this.#client.query(text, [...values]);
    return result.rows as Row[];
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 2_000,
      application_name: 'chaos',
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    return client;
  }
}
