/** The commands and what they share: help, wrong usage, and errors that a person can act on. */
import { inspect } from 'node:util';
import { ForeignFileError } from '../../clients/typescript/src/evaluator/own-files.ts';
import type { DatabaseTrouble } from '../db/connection/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { VERSION } from '../installation.ts';
import { ConfigError, flagsTakenByNpm, loadConfig } from '../settings/config.ts';
import { type Command, CommandError } from './command.ts';
import { complain } from './print.ts';

/** Each is loaded when it runs: an evaluator needs neither the service nor the optimizer. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  serve: async () => (await import('./serve.ts')).serve,
  work: async () => (await import('./work.ts')).work,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  keys: async () => (await import('./keys.ts')).keys,
  page: async () => (await import('./page.ts')).page,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
  export: async () => (await import('./export.ts')).exportCommand,
  report: async () => (await import('./report.ts')).report,
  replay: async () => (await import('./replay.ts')).replay,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  demo: async () => (await import('./demo.ts')).demo,
  run: async () => (await import('./run.ts')).run,
  evaluate: async () => (await import('./evaluate.ts')).evaluate,
  init: async () => (await import('./init.ts')).init,
  batch: async () => (await import('./batch.ts')).batch,
  mcp: async () => (await import('./mcp.ts')).mcp,
};

/** Started by other commands only. */
const HIDDEN: Readonly<Record<string, () => Promise<Command>>> = {
  host: async () => (await import('./local-host.ts')).host,
};

/** Runs one command to its end; returns the exit code: 0, 2 for wrong usage or settings, 1 for anything else. */
export async function run(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  if (name === '--version') {
    console.log(VERSION);
    return 0;
  }
  const command = await (COMMANDS[name] ?? HIDDEN[name])?.();
  // Arguments after -- belong to the program that the command runs.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (command === undefined || own.includes('--help') || own.includes('-h')) {
    const isHelp = command !== undefined || ['help', '--help', '-h'].includes(name);
    (isHelp ? console.log : console.error)(
      command === undefined ? await usage(isHelp ? undefined : name) : command.usage,
    );
    return isHelp ? 0 : 2;
  }
  try {
    refuseTakenFlags(command);
    return await command.run(rest, loadConfig());
  } catch (error) {
    return await report(error);
  }
}

async function usage(unknown: string | undefined): Promise<string> {
  const lines = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => `  ${name.padEnd(8)} ${(await load()).summary}`),
  );
  const complaint = unknown === undefined ? '' : `There is no command "${unknown}".\n\n`;
  return `${complaint}Usage: backsolve <command> [options]\n\n${lines.join('\n')}\n\nbacksolve <command> --help explains each; --version prints the version. Settings: docs/settings.md.`;
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

async function report(error: unknown): Promise<number> {
  if (error instanceof ForeignFileError) {
    complain(error.message);
    return 2;
  }
  if (error instanceof CommandError) {
    complain(error.message);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
    complain(error.message);
    return 2;
  }
  if (error instanceof DomainError) {
    complain(error.message);
    return 1;
  }
  const { databaseTrouble } = await import('../composing/database.ts');
  const trouble = databaseTrouble(error);
  if (trouble !== undefined) {
    complain(TROUBLES[trouble]((error as Error).message));
    return 1;
  }
  if (isPortTaken(error)) {
    complain(`${error.message}\nAnother program uses that port; choose another port with PORT, e.g. PORT=8081.`);
    return 1;
  }
  complain(error instanceof Error && SAYS_WHAT_TO_DO.has(error.name) ? error.message : inspect(error));
  return 1;
}

/** By name: their classes are loaded only when needed. */
const SAYS_WHAT_TO_DO: ReadonlySet<string> = new Set([
  'EmbeddedPostgresError',
  'EarlierSchemaError',
  'LaterSchemaError',
]);

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
