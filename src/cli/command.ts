import type { Config } from '../config.ts';

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What --help prints. */
  readonly usage: string;
  /** Returns the exit code. */
  run(args: readonly string[], config: Config): Promise<number>;
}

/** Wrong usage; the message tells what to do instead. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/** The database of the settings. Throws CommandError when there is none. */
export function databaseUrl(config: Config): string {
  if (config.database.url !== undefined) return config.database.url;
  throw new CommandError(
    'DATABASE_URL is not set. Set it, e.g. postgres://user:password@localhost:5432/backsolve, or use `backsolve start`, which brings its own database.',
  );
}
