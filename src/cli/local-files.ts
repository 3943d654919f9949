import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import { formatApiKey, makeApiKey, parseApiKey } from '../domain/api-key.ts';

/**
 * The files of a service that the runs of one folder share:
 *
 *   .backsolve/service       its database
 *   .backsolve/service.json  where it answers, while it does
 *   .backsolve/service.log   its log
 *   .backsolve/service.key   its API key
 *   .backsolve/host.lock     its process
 *   .backsolve/users         a file per process that uses it
 */
export const FILES = {
  data: 'service',
  address: 'service.json',
  log: 'service.log',
  key: 'service.key',
  lock: 'host.lock',
  users: 'users',
} as const;

/** Another process is the host: whoever started this one finds that. */
export const HOSTED_ALREADY = 75;

/** The key of the folder's service, made once; readable by its owner only. */
export async function readKey(folder: string): Promise<string> {
  const file = path.join(folder, FILES.key);
  await makeOwnFolder(folder);
  const text = ((await readOwn(file)) ?? '').trim();
  if (parseApiKey(text) !== undefined) return text;
  // Of two processes that begin at once the second finds the key of the first.
  await writeFile(file, `${formatApiKey(makeApiKey())}\n`, { mode: 0o600, flag: text === '' ? 'wx' : 'w' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return (await readOwn(file))!.trim();
}
