import { type FileHandle, open } from 'node:fs/promises';
import { openDatabase } from '../composing/database.ts';
import type { BackupFooter } from '../db/backup/backup.ts';
import { restoreBackup } from '../db/backup/restore.ts';
import type { Log } from '../log.ts';
import type { Config } from '../settings/config.ts';
import { countOf, explain, onlyFile } from './backup.ts';
import type { Command } from './command.ts';
import { withDatabaseUrl } from './with-database.ts';

export const restore: Command = {
  summary: 'read a file of `backup` into an empty database',
  usage: `Usage: backsolve restore FILE

Restores what \`backsolve backup\` wrote into the empty database of DATABASE_URL, or into a new one in DATA_DIR, for \`start\`:
everything or nothing. A database that has rows is refused. The backup may come from an older release.`,
  flags: {},

  async run(args, config) {
    const file = onlyFile(this.usage, args);
    await using handle = await open(file).catch(explain);
    const footer = await withDatabaseUrl(config, (url, log) => restoreInto(url, handle, config, log), {
      mayCreate: true,
    }).catch(explain);
    console.log(`Restored ${countOf(footer)}.`);
    return 0;
  },
};

async function restoreInto(url: string, handle: FileHandle, config: Config, log: Log): Promise<BackupFooter> {
  const db = openDatabase({ ...config, database: { ...config.database, statementTimeoutMs: 0 } }, url, log);
  return restoreBackup(db, url, handle.createReadStream()).finally(() => db.destroy());
}
