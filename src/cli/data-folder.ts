/**
 * The database of a folder when another release takes it over: a later one copies it before the first change, and an earlier one refuses.
 *
 *   <dataDir>/release.json              the release that used it last
 *   <dataDir>/before-VERSION.backup     what was in it before VERSION changed it
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import type { Db } from '../db/connection/transaction.ts';
import { LaterSchemaError } from '../db/history.ts';
import { isBehind, migrate } from '../db/migrate.ts';
import { VERSION } from '../installation.ts';
import type { Log } from '../log.ts';
import { explain, writeBackupFile } from './backup.ts';
import { CommandError } from './command.ts';

const RELEASE_FILE = 'release.json';

/** Brings the database up to date. Throws CommandError when a later release has changed it, or when it cannot be copied. */
export async function takeOver(db: Db, url: string, dataDir: string, log: Log): Promise<void> {
  const copy = path.join(dataDir, `before-${VERSION}.backup`);
  if ((await isBehind(db)) && !(await exists(copy))) {
    await writeBackupFile(copy, url).catch(explain);
    log.info({ file: copy }, 'database.copied-before-upgrade');
  }
  await migrate(db).catch(async (error: unknown) => {
    throw error instanceof LaterSchemaError ? await refusal(dataDir, error) : error;
  });
  const text = `${JSON.stringify({ backsolve: VERSION })}\n`;
  const file = path.join(dataDir, RELEASE_FILE);
  if ((await readOwn(file)) !== text) await replaceFile(file, text);
}

async function refusal(dataDir: string, { migration }: LaterSchemaError): Promise<CommandError> {
  const release = await readRelease(dataDir);
  const needed = release === undefined ? 'a later release' : `Backsolve ${release} or later`;
  const files = path.join(dataDir, 'before-*.backup');
  return new CommandError(
    `The database in ${dataDir} needs ${needed}: it has the migration ${migration}, which this release (${VERSION}) does not know. ` +
      `Nothing was changed. Install ${needed}; or read the copy that was made before the upgrade (${files}) into a new folder: ` +
      'backsolve restore FILE with DATA_DIR set to that folder.',
    1,
  );
}

async function readRelease(dataDir: string): Promise<string | undefined> {
  try {
    const { backsolve } = JSON.parse((await readOwn(path.join(dataDir, RELEASE_FILE))) ?? '{}');
    return typeof backsolve === 'string' && backsolve !== VERSION ? backsolve : undefined;
  } catch {
    return undefined; // it only makes the message more precise
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
