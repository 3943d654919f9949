/** Runs installed programs in an empty environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { findOwners } from '../../clients/typescript/src/solve/folder-lock.ts';
import type { User } from '../support/ordinary-users.ts';

export interface Ended {
  readonly code: number | NodeJS.Signals;
  /** Both streams. */
  readonly output: string;
}

export interface Place {
  readonly cwd: string;
  readonly user: User;
  readonly env?: Readonly<Record<string, string>>;
}

/** An empty folder of the user; its path has a space and an umlaut. */
export async function makeFolder(user: User): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve Läufe '));
  onTestFinished(async () => {
    // The service of a folder would wait some seconds for its next user.
    for (const { pid } of await findOwners(path.join(folder, '.backsolve')).catch(() => []))
      process.kill(pid, 'SIGTERM');
    await expect
      .poll(() => findOwners(path.join(folder, '.backsolve')).catch(() => []), { timeout: 60_000 })
      .toEqual([]);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await chmod(folder, 0o755);
  if (user.ids !== undefined) await chown(folder, user.ids.uid, user.ids.gid);
  return folder;
}

/** Without a single variable but an empty PATH and a home. `until` ends it by SIGTERM once the output matches and `work` is done. */
export async function play(
  command: readonly string[],
  { cwd, user, env = {} }: Place,
  hold?: { readonly until: RegExp; readonly work: (match: RegExpExecArray) => Promise<void> },
): Promise<Ended> {
  const { noPrograms } = inject('packages');
  const [program, ...first] = command;
  const child = spawn(program!, first, {
    cwd,
    ...user.ids,
    env: { PATH: noPrograms, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let output = '';
  let held: Promise<void> | undefined;
  const take = (chunk: Buffer) => {
    output += chunk.toString('utf8');
    const match = hold?.until.exec(output);
    if (match) held ??= hold!.work(match).finally(() => child.kill('SIGTERM'));
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const [code, signal] = await ended;
  await held;
  return { code: signal ?? code!, output };
}
