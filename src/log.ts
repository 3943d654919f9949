/** The log of a process: one JSON line per event on standard output, secrets removed. */
import { hostname } from 'node:os';
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
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
