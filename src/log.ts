/**
 * The log of a process: one JSON line per event on standard output, secrets removed. Whoever should read them and does not
 * costs lines, never a request: pino's own way of writing would stop the process until there is room in the pipe.
 */
import { hostname } from 'node:os';
import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const CENSOR = '[removed]';
const SECRET_FIELDS = [
  'authorization',
  'x-api-key',
  'cookie',
  'password',
  'apiKey',
  'api_key',
  'secret',
  'databaseUrl',
];

/** Paths at the top, one level and two levels down: request objects carry headers one level below themselves. */
const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => {
  const key = `["${field}"]`;
  return [key, `*${key}`, `*.*${key}`];
});

/**
 * A root logger. Fields on every line: level as text, time as ISO 8601, pid, hostname, service. `destination` is
 * standard output unless given (tests collect lines with it).
 */
export function makeLog(options: { level: string; destination?: DestinationStream }): Log {
  const settings = {
    level: options.level,
    base: { service: 'backsolve', pid: process.pid, hostname: hostname() },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_PATHS, censor: CENSOR },
  };
  if (options.destination !== undefined) return pino(settings, options.destination);
  // A reader that is gone is no reason to end. One listener does for all logs of a process.
  if (!process.stdout.listeners('error').includes(ignoreBrokenPipe)) process.stdout.on('error', ignoreBrokenPipe);
  const log = pino(
    settings,
    toWaitingLines(process.stdout, (count) => log.warn({ count }, 'log.lines-dropped')),
  );
  return log;
}

/** Of lines that wait for somebody to read; some 10,000 requests. */
const WAITING_LIMIT_BYTES = 4 * 1024 * 1024;

/** Writes without waiting. Past the limit lines are dropped, and counted to `onDropped` when there is room again. */
export function toWaitingLines(stream: Writable, onDropped: (count: number) => void): DestinationStream {
  let dropped = 0;
  const write = (line: string): void => {
    if (stream.writableLength + line.length > WAITING_LIMIT_BYTES) {
      dropped += 1;
      return;
    }
    stream.write(line);
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    onDropped(count);
  };
  return { write };
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
