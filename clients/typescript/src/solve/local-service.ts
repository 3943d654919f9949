/** A service on this machine, for a program without one: started by the command `backsolve`, which must be installed. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { makeProvenFetch } from './local-proof.ts';

export interface LocalService {
  readonly url: string;
  readonly key: string;
  /** Sends nothing to another program that has taken its port. */
  readonly fetch: typeof fetch;
  /** The service ends soon after its last user. */
  close(): Promise<void>;
}

/** The command is missing, or the service does not start. */
export class LocalServiceError extends Error {
  override readonly name = 'LocalServiceError';
}

const ADVICE =
  'Set BACKSOLVE_COMMAND to bin/backsolve.js of a clone of Backsolve in which `npm ci` was run; or work inside that clone, where `npx backsolve` is enough; or give url and key of a service.';
const LAST_WORDS = 2_000;

/** Joins the service of a folder, which holds its database, or starts it. Throws LocalServiceError. */
export async function joinLocalService(folder: string): Promise<LocalService> {
  const stated = process.env['BACKSOLVE_COMMAND']?.trim() ?? '';
  const [program, ...first] = (stated === '' ? 'npx --no backsolve' : stated).split(/\s+/);
  const child = spawn(program!, [...first, 'local', path.resolve(folder)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let printed = '';
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-LAST_WORDS)));
  const answer = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new LocalServiceError(`The local service did not start: ${why} ${ADVICE}`));
    child.once('error', (error) => fail(`${program} cannot be run (${error.message}).`));
    child.once('close', () => fail(words.trim() === '' ? `${program} ended.` : `${words.trim()}\n`));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('\n')) resolve(printed);
    });
  });
  // It must not keep a program alive that has nothing else to do.
  for (const one of [child, child.stdin, child.stdout, child.stderr]) (one as { unref?: () => void }).unref?.();
  const { url, key } = JSON.parse(answer) as { readonly url: string; readonly key: string };
  return {
    url,
    key,
    fetch: makeProvenFetch(url, key),
    close: async () => {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}
