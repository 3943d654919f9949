/** The commands and what they have in common: help, wrong usage, and errors that a person can act on. */
import { databaseTrouble } from '../compose.ts';
import { ConfigError, loadConfig } from '../config.ts';
import type { DatabaseTrouble } from '../db/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { type Command, CommandError } from './command.ts';
import { demo } from './demo.ts';
import { exportCommand } from './export.ts';
import { keys } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { serve } from './serve.ts';
import { start } from './start.ts';
import { webhooks } from './webhooks.ts';
import { work } from './work.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  start,
  serve,
  work,
  migrate: migrateCommand,
  keys,
  webhooks,
  export: exportCommand,
  demo,
};

/** Runs one command to its end; returns the exit code. 2 is wrong usage or settings, 1 anything else. */
export async function run(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  const command = COMMANDS[name];
  if (command === undefined || rest.includes('--help') || rest.includes('-h')) {
    const isHelp = command !== undefined || ['help', '--help', '-h'].includes(name);
    (isHelp ? console.log : console.error)(command === undefined ? usage(isHelp ? undefined : name) : command.usage);
    return isHelp ? 0 : 2;
  }
  try {
    return await command.run(rest, loadConfig());
  } catch (error) {
    return report(error);
  }
}

function usage(unknown: string | undefined): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => `  ${name.padEnd(8)} ${command.summary}`);
  const complaint = unknown === undefined ? '' : `There is no command "${unknown}".\n\n`;
  return `${complaint}Usage: backsolve <command> [options]\n\n${lines.join('\n')}\n\nbacksolve <command> --help tells more. Settings: docs/settings.md.`;
}

function report(error: unknown): number {
  if (error instanceof ConfigError || error instanceof CommandError) {
    console.error(error.message);
    return 2;
  }
  if (error instanceof DomainError) {
    console.error(error.message);
    return 1;
  }
  const trouble = databaseTrouble(error);
  if (trouble !== undefined) {
    console.error(TROUBLES[trouble]((error as Error).message));
    return 1;
  }
  if (isPortTaken(error)) {
    console.error(`${error.message}\nAnother program listens there; choose another port with PORT, e.g. PORT=8081.`);
    return 1;
  }
  console.error(error instanceof Error && error.name === 'EmbeddedPostgresError' ? error.message : error);
  return 1;
}

const TROUBLES: Readonly<Record<DatabaseTrouble, (message: string) => string>> = {
  away: (message) =>
    message.includes('unsupported startup parameter')
      ? `A pooler refuses the connection: ${message}\nName it in ignore_startup_parameters, as deploy/pgbouncer.ini does.`
      : `The database does not answer: ${message}\nCheck DATABASE_URL and that the server runs.`,
  'out-of-time': (message) =>
    `The database took too long: ${message}\nTry again; if it happens again, raise STATEMENT_TIMEOUT_MS or LOCK_TIMEOUT_MS.`,
};

function isPortTaken(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
