/** Starts the server, watches it, restarts it when it dies, and stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { programIn } from './postgres-binaries.ts';
import { askToStop, processOptions, type ServerFiles, serverComplaint } from './postgres-programs.ts';
import { endLeftovers } from './server-processes.ts';

/** Recovery after a crash replays the write-ahead log, which may take a while on a slow disk. */
const START_LIMIT_MS = 120_000;
const PORT_ATTEMPTS = 5;
/** Pause before a restart; it doubles with every failure. */
const RESTART_PAUSE_MS = 500;
/** A disk may stay full for days; free space is noticed within this time. */
const MAXIMUM_RESTART_PAUSE_MS = 15_000;
/** A server that has run this long was healthy, and the next pause is the shortest again. */
const HEALTHY_MS = 60_000;

/** The part of a pino logger used here. */
export interface DevLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface RunningServer {
  readonly port: number;
  stop(): Promise<void>;
}

export interface SuperviseOptions {
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly log: DevLog;
  readonly maximumRestartPauseMs?: number | undefined;
}

interface ServerProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<string>;
}

/**
 * Starts the server on 127.0.0.1 and keeps it running. If it ends, for example on a full disk, it is restarted for as long as
 * it takes, so that it is back soon after it can be. Throws when the given port is taken; without one, chooses a free port,
 * and another one if some program was faster.
 */
export async function superviseServer(
  files: ServerFiles,
  { port: wanted, log, maximumRestartPauseMs = MAXIMUM_RESTART_PAUSE_MS }: SuperviseOptions,
): Promise<RunningServer> {
  const { port, first } = await startOnPort(files, wanted, log);
  let current: ServerProcess | undefined = first;
  const stopping = new AbortController();
  const letGo = endWithProcess(() => stopChild(files, current));

  const watching = (async () => {
    let failures = 0;
    while (current !== undefined) {
      const startedAt = performance.now();
      const how = await current.exited;
      current = undefined;
      if (stopping.signal.aborted) return;
      log.error({ how }, 'the database ended unexpectedly');
      if (performance.now() - startedAt > HEALTHY_MS) failures = 0;
      while (current === undefined && !stopping.signal.aborted) {
        const pauseMs = Math.min(maximumRestartPauseMs, RESTART_PAUSE_MS * 2 ** failures++);
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (!stopping.signal.aborted) current = await restart(files, port, log);
      }
      // It was already starting when it was asked to stop.
      if (stopping.signal.aborted) stopChild(files, current);
    }
  })();

  return {
    port,
    stop: async () => {
      stopping.abort();
      stopChild(files, current);
      await Promise.race([watching, delay(30_000, undefined, { ref: false })]);
      await endLeftovers(files.cluster);
      letGo();
    },
  };
}

function stopChild(files: ServerFiles, server: ServerProcess | undefined): void {
  if (server?.child.exitCode !== null || server.child.signalCode !== null) return;
  askToStop(files, server.child.pid!);
}

const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Stops the server when this process exits, including by a signal without another listener (during a start, or Ctrl-C in the
 * demo), which would otherwise leave the server behind. Returns a function that undoes this.
 */
function endWithProcess(end: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) process.exit(SIGNAL_CODES[signal as keyof typeof SIGNAL_CODES]);
  };
  const signals = Object.keys(SIGNAL_CODES) as NodeJS.Signals[];
  process.on('exit', end);
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    process.off('exit', end);
    for (const signal of signals) process.off(signal, onSignal);
  };
}

async function restart(files: ServerFiles, port: number, log: DevLog): Promise<ServerProcess | undefined> {
  try {
    await endLeftovers(files.cluster);
    const server = await startServer(files, port, log);
    log.warn({ port }, 'the database is running again');
    return server;
  } catch (error) {
    log.error({ err: error }, 'the database could not be restarted; retrying until it succeeds');
    return undefined;
  }
}

async function startOnPort(files: ServerFiles, wanted: number | undefined, log: DevLog) {
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort());
    try {
      return { port, first: await startServer(files, port, log) };
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
      if (wanted === undefined && attempt < PORT_ATTEMPTS) continue;
      throw new EmbeddedPostgresError(
        `The database cannot listen on 127.0.0.1:${port}: another program uses that port.`,
        {
          cause: error,
        },
      );
    }
  }
}

class PortTaken extends Error {}

/** Starts the server and waits until it accepts connections. It has its own session, so that Ctrl-C reaches only us. */
async function startServer(files: ServerFiles, port: number, log: DevLog): Promise<ServerProcess> {
  const child = spawn(
    programIn(files.binaries.folder, 'postgres'),
    ['-D', files.cluster, ...serverSettings(files, port)],
    {
      ...processOptions(files),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const output: string[] = [];
  const ready = new Promise<'ready'>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (output.push(line) > 50) output.shift();
      if (/ (FATAL|PANIC): {2}/.test(line)) log.warn({ line }, 'database');
      else log.debug({ line }, 'database');
      if (line.includes('database system is ready to accept connections')) resolve('ready');
    });
  });
  const timeout = new AbortController();
  const late = delay(START_LIMIT_MS, 'late' as const, { signal: timeout.signal }).catch(() => 'late' as const);
  const outcome = await Promise.race([ready, exited, late]);
  timeout.abort();
  if (outcome === 'ready') return { child, exited };
  child.kill('SIGKILL');
  await exited;
  if (output.some((line) => line.includes('Address already in use')))
    throw new PortTaken(`another program listens on port ${port}`);
  throw serverComplaint(`The database did not start (${outcome})`, files, output.length > 0 ? output : [outcome]);
}

/** No sockets in the file system (their paths are limited to 107 bytes), this machine only, quiet on SQL errors. */
function serverSettings(files: ServerFiles, port: number): string[] {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'logging_collector=off',
    'log_destination=stderr',
    'log_min_messages=log',
    'lc_messages=C',
    'timezone=UTC',
    'max_connections=200',
    'wal_level=minimal',
    'max_wal_senders=0',
    ...(files.durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
