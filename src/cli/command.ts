import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Config } from '../settings/config.ts';

/** Flags as node:util's parseArgs takes them. */
type Flags = NonNullable<ParseArgsConfig['options']>;

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Text that --help prints. */
  readonly usage: string;
  /** Every flag that one of its actions takes. */
  readonly flags: Flags;
  /** Returns the exit code. */
  run(args: readonly string[], config: Config): Promise<number>;
}

/** A flag that takes text. */
export const text = { type: 'string' } as const;

/** Printed without a stack; the message says what to do. The exit code is 2 for wrong usage and 1 for anything else. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** As parseArgs; throws CommandError with the usage appended. */
export function parseCommand<const T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}

/** The database of the settings. Throws CommandError when there is none. */
export function databaseUrl(config: Config): string {
  if (config.database.url !== undefined) return config.database.url;
  throw new CommandError(
    'DATABASE_URL is not set. Set it, e.g. postgres://user:password@localhost:5432/backsolve, or use `npm start`, which brings its own database.',
  );
}

/** The value of a flag that takes a whole number. */
export function readCount(flag: string, text: string, least: number, most: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  throw new CommandError(`${flag} takes a whole number from ${least} to ${most}, not "${text}".`);
}
