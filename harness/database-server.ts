/** A real Postgres server whose process the caller can stop, kill and restart. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, open, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { findBinaries, programIn } from '../src/postgres/postgres-binaries.ts';
import { processOptions, type ServerFiles } from '../src/postgres/postgres-programs.ts';
import { endLeftovers, sendSignal, serverProcesses } from '../src/postgres/server-processes.ts';
import { chooseUser, locateCluster, reachableBinaries } from '../src/postgres/system-user.ts';

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

  /** Creates the database in `folder` with the product's embedded server, then takes over its files. */
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

  /**
   * Copies the files for a second server on `port`, which is not started. This server must be stopped. `settings` are added to
   * its own; `files`, by name, are written into the copy.
   */
  async copyTo(
    folder: string,
    port: number,
    { settings, files }: { readonly settings: readonly string[]; readonly files: Readonly<Record<string, string>> },
  ): Promise<DatabaseServer> {
    const cluster = path.join(folder, 'postgres');
    await mkdir(folder);
    await chmod(folder, 0o711);
    await promisify(execFile)('cp', ['-a', this.#files.cluster, cluster]);
    for (const [name, content] of Object.entries(files)) {
      await writeFile(path.join(cluster, name), content);
      if (this.#files.user.uid !== undefined) {
        await chown(path.join(cluster, name), this.#files.user.uid, this.#files.user.gid);
      }
    }
    const url = new URL(this.url);
    url.port = String(port);
    const copied = { ...this.#files, cluster: await realpath(cluster) };
    const server = new DatabaseServer(
      url.href,
      copied,
      [...this.#settings, ...settings],
      path.join(folder, 'postgres.log'),
    );
    process.once('exit', () => server.#process?.kill('SIGQUIT'));
    return server;
  }

  /** Appends a line to pg_hba.conf, which takes effect with the next start. */
  async admit(line: string): Promise<void> {
    await appendFile(path.join(this.#files.cluster, 'pg_hba.conf'), `${line}\n`);
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

  /** Kills the main process, as the kernel does when memory runs out. */
  async kill(): Promise<void> {
    const running = this.#process!;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
    await endLeftovers(this.#files.cluster);
  }

  /** Kills all processes together, as a power failure does. */
  async vanish(): Promise<void> {
    const running = this.#process!;
    const exited = once(running, 'exit');
    for (const pid of await serverProcesses(this.#files.cluster)) sendSignal(pid, 'SIGKILL');
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

/** A connection for the harness's own statements, reopened after it was lost. */
export class Admin {
  readonly #url: string;
  #client: pg.Client | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Rejects while the database is unreachable. */
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
