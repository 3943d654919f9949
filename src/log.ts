/**
 * The log of a process, secrets removed: one JSON line per event, or one readable line on a terminal. Unread output costs
 * lines, never a request: pino's own way of writing would block the process until the pipe has room.
 */
import { hostname } from 'node:os';
import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';

export type Log = Logger;

const CENSOR = '[removed]';
const SECRET_FIELDS = [
  'authorization',
  'x-api-key',
  'x-page-secret',
  'pageSecret',
  'cookie',
  'set-cookie',
  'token',
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

export interface LogOptions {
  readonly level: string;
  /** Default: standard output; commands whose output is data log to standard error. */
  readonly stream?: NodeJS.WriteStream;
  /** Takes JSON lines in place of a stream: tests collect them. */
  readonly destination?: DestinationStream;
}

/** A root logger. Fields on every line: level as text, time as ISO 8601, pid, hostname, service. */
export function makeLog({ level, stream = process.stdout, destination }: LogOptions): Log {
  const settings = {
    level,
    base: { service: 'backsolve', pid: process.pid, hostname: hostname() },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_PATHS, censor: CENSOR },
  };
  if (destination !== undefined) return pino(settings, destination);
  // The process outlives its reader. One listener serves all logs of a process.
  if (!stream.listeners('error').includes(ignoreBrokenPipe)) stream.on('error', ignoreBrokenPipe);
  const lines = toWaitingLines(stream, (count) => log.warn({ count }, 'log.lines-dropped'));
  const log = pino(settings, stream.isTTY ? toReadableLines(lines, stream.hasColors()) : lines);
  return log;
}

/** For people at a terminal: time, level, event and fields on one line; of an error its message without the stack. */
function toReadableLines(lines: DestinationStream, colorize: boolean): DestinationStream {
  const toReadable = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,service',
    // Named as an error, a field would be printed with its stack, one line per frame.
    errorLikeObjectKeys: [],
    customPrettifiers: {
      err: (error) => String(error instanceof Object && 'message' in error ? error.message : error),
    },
  });
  return { write: (line) => lines.write(toReadable(line)) };
}

/** Bytes of lines that wait for their reader; some 10,000 requests. */
const WAITING_LIMIT_BYTES = 4 * 1024 * 1024;

/** Writes without blocking. Beyond the limit lines are dropped; `onDropped` gets their number once there is room again. */
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
