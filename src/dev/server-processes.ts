/** Processes of a PostgreSQL server that an earlier, killed run has left behind. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

const POLL_MS = 25;
/** How long each signal may take: shut down fast, at once, by force. */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** Whether a process with this number exists, of whatever user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, as an opaque text that no later process with the same number repeats; '' where unknown. */
export async function startOf(pid: number): Promise<string> {
  if (platform() !== 'linux') return '';
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may hold spaces; the start time is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Numbers of the server processes that work in this folder, the main one first; [] when none does. */
export async function serverProcesses(clusterDir: string): Promise<readonly number[]> {
  const main = await mainProcess(clusterDir);
  if (platform() !== 'linux') return main !== undefined && (await runsPostgres(main)) ? [main] : [];
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const folder = await readlink(`/proc/${entry}/cwd`).catch(() => '');
    if (folder !== clusterDir) continue;
    const name = await readFile(`/proc/${entry}/comm`, 'utf8').catch(() => '');
    if (name.trim() === 'postgres') found.push(Number(entry));
  }
  return found.sort((a, b) => Number(b === main) - Number(a === main));
}

/** Ends what still runs in this folder and removes its pid file, whose number may meanwhile belong to anybody. */
export async function endLeftovers(clusterDir: string): Promise<number> {
  const pids = await serverProcesses(clusterDir);
  if (pids.length > 0) await endProcesses(clusterDir, pids);
  await rm(path.join(clusterDir, 'postmaster.pid'), { force: true });
  return pids.length;
}

async function endProcesses(clusterDir: string, pids: readonly number[]): Promise<void> {
  let remaining = pids;
  for (const { signal, waitMs } of STOP_STEPS) {
    // Without the main process its children do not end on SIGINT, which only cancels a statement; SIGTERM ends them.
    const main = await mainProcess(clusterDir);
    const orphaned = signal === 'SIGINT' && !remaining.includes(main ?? -1);
    for (const pid of orphaned ? remaining : remaining.slice(0, signal === 'SIGINT' ? 1 : undefined)) {
      sendSignal(pid, orphaned ? 'SIGTERM' : signal);
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

function sendSignal(pid: number, signal: NodeJS.Signals): void {
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

/** The number in the pid file, alive or not. */
async function mainProcess(clusterDir: string): Promise<number | undefined> {
  const content = await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(content, 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

async function runsPostgres(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (platform() === 'win32') return true;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres');
}
