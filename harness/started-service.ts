/** A service as `npx backsolve start` starts it, for pictures and measurements. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface StartedService {
  readonly url: string;
  readonly key: string;
  close(): void;
}

/** @param folder  of its database */
export async function startService(folder: string): Promise<StartedService> {
  const env = { ...process.env, DATA_DIR: path.join(folder, 'data'), PORT: '0', RATE_LIMIT_PER_MINUTE: '0' };
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../bin/backsolve.js'), 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /ready at (\S+)/.exec(line)?.[1];
    const key = /bks_\w{20,}/.exec(line)?.[0];
    if (url !== undefined && key !== undefined) return { url: new URL(url).origin, key, close: () => child.kill() };
  }
  throw new Error('The service did not start.');
}
