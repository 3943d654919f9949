import { link, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { BackupError, type BackupFooter, writeBackup } from '../db/backup/backup.ts';
import { type Command, CommandError, parseCommand } from './command.ts';
import { withDatabaseUrl } from './with-database.ts';

export const backup: Command = {
  summary: 'write the whole database to one file, while everything runs',
  usage: `Usage: backsolve backup FILE

Writes one consistent snapshot of all accounts to FILE, which must not exist, readable by its owner only. It holds no usable
API key, but the signing secrets of webhooks. \`backsolve restore\` reads it. Uses DATABASE_URL, or the database that
\`start\` keeps in DATA_DIR, whether it runs or not.`,
  flags: {},

  async run(args, config) {
    const file = onlyFile(this.usage, args);
    await refuseExisting(file);
    const footer = await withDatabaseUrl(config, (url) => writeBackupFile(file, url)).catch(explain);
    console.log(`${file}: ${countOf(footer)}.`);
    return 0;
  },
};

/** The single operand of backup and restore. */
export function onlyFile(usage: string, args: readonly string[]): string {
  const { positionals } = parseCommand(usage, { args: [...args], allowPositionals: true, options: {} });
  const [file] = positionals;
  if (file !== undefined && positionals.length === 1) return file;
  throw new CommandError(`Which file?\n\n${usage}`);
}

export function countOf({ rows }: BackupFooter): string {
  const counts = Object.values(rows);
  return `${counts.length} tables, ${counts.reduce((sum, count) => sum + count, 0)} rows`;
}

/** Errors that a person can act on become one line. */
export function explain(error: unknown): never {
  if (error instanceof BackupError) throw new CommandError(error.message, 1);
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && 'path' in (error as object))
    throw new CommandError(`The file cannot be used: ${message}`, 1);
  throw error;
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new CommandError(`${file} exists already; name a new file.`, 1);
}

/** Under its own name only once it is complete and on disk. */
export async function writeBackupFile(file: string, url: string): Promise<BackupFooter> {
  const draft = `${file}.${process.pid}.part`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    const footer = await writeBackup(url, handle.createWriteStream({ flush: true }));
    // Unlike a rename, a link never replaces a file that has appeared meanwhile.
    await link(draft, file);
    await syncFolder(path.dirname(file));
    return footer;
  } finally {
    await rm(draft, { force: true });
  }
}
