/** Processor time as counted by the kernel, which a busy machine hardly changes, unlike elapsed time. Linux only. */
import { readFile } from 'node:fs/promises';
import type pg from 'pg';

/** The kernel counts 100 ticks per second. */
const TICK_MS = 10;
/** Positions in /proc/<pid>/stat after the name of the process, which may contain anything. */
const PARENT = 1;
const USER = 11;
const SYSTEM = 12;
const ENDED_CHILDREN = [13, 14] as const;

/** Returns the user and system time of a process with all its threads; 0 if it has ended. */
export async function readProcessMs(pid: number): Promise<number> {
  const fields = await readFields(pid);
  return (fields[USER]! + fields[SYSTEM]!) * TICK_MS;
}

/** Returns the time of a whole PostgreSQL server on this machine, including backends that have ended. */
export async function readServerMs(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = (await readFields(rows[0]!.pid))[PARENT]!;
  const fields = await readFields(postmaster);
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const living = await Promise.all(children.trim().split(' ').map(Number).map(readProcessMs));
  const own = [USER, SYSTEM, ...ENDED_CHILDREN].reduce((sum, field) => sum + fields[field]! * TICK_MS, 0);
  return living.reduce((sum, each) => sum + each, own);
}

async function readFields(pid: number): Promise<readonly number[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return new Array(ENDED_CHILDREN[1] + 1).fill(0);
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}
