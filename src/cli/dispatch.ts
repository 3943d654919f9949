/** The commands and what they share: help, wrong usage, and errors that a person can act on. */
import { databaseTrouble } from '../compose.ts';
import { ConfigError, flagsTakenByNpm, loadConfig } from '../config.ts';
import type { DatabaseTrouble } from '../db/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { backup } from './backup.ts';
import { batch } from './batch.ts';
import { type Command, CommandError } from './command.ts';
import { demo } from './demo.ts';
import { evaluate } from './evaluate.ts';
import { exportCommand } from './export.ts';
import { init } from './init.ts';
import { keys } from './keys.ts';
import { host } from './local-host.ts';
import { migrateCommand } from './migrate.ts';
import { page } from './page.ts';
import { restore } from './restore.ts';
import { run as runCommand } from './run.ts';
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
  page,
  webhooks,
  export: exportCommand,
  backup,
  restore,
  demo,
  run: runCommand,
  evaluate,
  init,
  batch,
};

/** Started by other commands only. */
const HIDDEN: Readonly<Record<string, Command>> = { host };

/** Runs one command to its end; returns the exit code: 0, 2 for wrong usage or settings, 1 for anything else. */
export async function run(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  const command = COMMANDS[name] ?? HIDDEN[name];
  // What follows -- belongs to the program that the command runs.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (command === undefined || own.includes('--help') || own.includes('-h')) {
    const isHelp = command !== undefined || ['help', '--help', '-h'].includes(name);
    (isHelp ? console.log : console.error)(command === undefined ? usage(isHelp ? undefined : name) : command.usage);
    return isHelp ? 0 : 2;
  }
  try {
    refuseTakenFlags(command);
    return await command.run(rest, loadConfig());
  } catch (error) {
    return report(error);
  }
}

function usage(unknown: string | undefined): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => `  ${name.padEnd(8)} ${command.summary}`);
  const complaint = unknown === undefined ? '' : `There is no command "${unknown}".\n\n`;
  return `${complaint}Usage: backsolve <command> [options]\n\n${lines.join('\n')}\n\nbacksolve <command> --help explains each. Settings: docs/settings.md.`;
}

/**
 * `npm run backsolve keys create --scopes=read` reaches this process without the flag: npm takes it for a setting of its own.
 * Without it the command would do something else than asked, such as create a key with every scope.
 */
function refuseTakenFlags({ flags }: Command): void {
  const taken = flagsTakenByNpm(Object.keys(flags));
  if (taken.length === 0) return;
  const given = taken.map((flag) => `--${flag}`).join(', ');
  throw new CommandError(
    `npm took ${given} for itself, so nothing was done. Run the same command with npx backsolve instead of npm run backsolve.`,
  );
}

function report(error: unknown): number {
  if (error instanceof CommandError) {
    console.error(error.message);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
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
    console.error(`${error.message}\nAnother program uses that port; choose another port with PORT, e.g. PORT=8081.`);
    return 1;
  }
  console.error(error instanceof Error && error.name === 'EmbeddedPostgresError' ? error.message : error);
  return 1;
}

const TROUBLES: Readonly<Record<DatabaseTrouble, (message: string) => string>> = {
  away: (message) =>
    message.includes('unsupported startup parameter')
      ? `A pooler refuses the connection: ${message}\nAdd the parameter to ignore_startup_parameters, as deploy/pgbouncer.ini does.`
      : `The database does not answer: ${message}\nCheck DATABASE_URL, and that the server is running.`,
  'out-of-time': (message) =>
    `The database took too long: ${message}\nTry again; if it happens again, raise STATEMENT_TIMEOUT_MS or LOCK_TIMEOUT_MS.`,
};

function isPortTaken(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
