/** Processes of a PostgreSQL server that a killed run left behind. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startOf } from '../../clients/typescript/src/solve/folder-lock.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

const POLL_MS = 25;
const PROGRAMS = new Set(['postgres', 'initdb']);
/** Time limits of the signals: fast shutdown, immediate shutdown, kill. */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** Ids of the database processes that run in this folder. */
export async function serverProcesses(clusterDir: string): Promise<readonly number[]> {
  if (platform() !== 'linux') {
    const main = await mainProcess(clusterDir);
    return main !== undefined && (await runsPostgres(main)) ? [main] : [];
  }
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const folder = await readlink(`/proc/${entry}/cwd`).catch(() => '');
    if (folder !== clusterDir) continue;
    const name = await readFile(`/proc/${entry}/comm`, 'utf8').catch(() => '');
    if (PROGRAMS.has(name.trim())) found.push(Number(entry));
  }
  return found;
}

/** Ends what still runs in this folder and removes its pid file, whose id may belong to any process by now. */
export async function endLeftovers(clusterDir: string): Promise<number> {
  const pids = await serverProcesses(clusterDir);
  if (pids.length > 0) await endProcesses(clusterDir, pids);
  await rm(path.join(clusterDir, 'postmaster.pid'), { force: true });
  return pids.length;
}

async function endProcesses(clusterDir: string, pids: readonly number[]): Promise<void> {
  let remaining = pids;
  for (const { signal, waitMs } of STOP_STEPS) {
    const main = await mainProcess(clusterDir);
    const isLed = main !== undefined && remaining.includes(main);
    // The main process ends its children. Without it, they end on SIGTERM; SIGINT would only cancel a statement.
    for (const pid of isLed && signal !== 'SIGKILL' ? [main] : remaining) {
      sendSignal(pid, isLed || signal !== 'SIGINT' ? signal : 'SIGTERM');
    }
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      remaining = await serverProcesses(clusterDir);
      if (remaining.length === 0) return;
      await delay(POLL_MS);
    }
  }
  throw new EmbeddedPostgresError(
    `A PostgreSQL server of an earlier run still uses ${clusterDir} and cannot be stopped (processes ${remaining.join(', ')}).`,
  );
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EPERM') {
      throw new EmbeddedPostgresError(
        `Process ${pid}, a PostgreSQL server of an earlier run, belongs to another user; stop it first.`,
      );
    }
    if (code !== 'ESRCH') throw error;
  }
}

/** The process id in the pid file, running or not. */
async function mainProcess(clusterDir: string): Promise<number | undefined> {
  const content = await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(content, 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

async function runsPostgres(pid: number): Promise<boolean> {
  if ((await startOf(pid)) === undefined) return false;
  if (platform() === 'win32') return true;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres');
}
