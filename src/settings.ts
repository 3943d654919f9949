/** Every variable that Backsolve reads, with its rule, default and an example; docs/settings.md lists the same. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseApiKey } from './domain/api-key.ts';
import {
  isHttpUrl,
  isPostgresUrl,
  optionalText,
  optionalWholeNumber,
  parseHeaders,
  parseOrigins,
  parseTrustProxy,
  text,
  trueOrFalse,
  wholeNumber,
} from './setting-rules.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const MEBIBYTE = 1024 * 1024;

/** One variable. `fallback` is the default as text, as a user would write it, or undefined when there is none. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly rule: Schema;
  readonly expected: string;
  readonly example: string;
  readonly fallback: string | undefined;
  /** A secret is never repeated in a message. */
  readonly secret?: true;
}

/** Every variable that Backsolve reads. */
export const SETTINGS = {
  PORT: wholeNumber(0, 65_535, '8080'),
  HOST: text(/^[^\s/:]+$|^[0-9a-fA-F:.]+$/, 'a host name or an IP address to listen on', '0.0.0.0', '127.0.0.1'),
  DATABASE_URL: {
    ...optionalText(isPostgresUrl, 'a Postgres URL', 'postgres://user:password@localhost:5432/backsolve'),
    secret: true,
  },
  LISTEN_DATABASE_URL: {
    ...optionalText(isPostgresUrl, 'a Postgres URL', 'postgres://user:password@localhost:5432/backsolve'),
    secret: true,
  },
  DATA_DIR: text(/\S/, 'a folder that can be written to', '/var/lib/backsolve', './.data'),
  BACKSOLVE_BOOTSTRAP_API_KEY: {
    ...optionalText(
      (value) => parseApiKey(value) !== undefined,
      'a whole key text with its checksum, as `backsolve keys generate` prints one',
      'bks_<8 id characters>_<32 secret characters>_<6 checksum characters>',
    ),
    secret: true,
  },
  LOG_LEVEL: {
    rule: z.enum(LOG_LEVELS, { error: 'is not one of them' }),
    expected: `one of ${LOG_LEVELS.join(', ')}`,
    example: 'debug',
    fallback: 'info',
  },
  BODY_LIMIT_BYTES: wholeNumber(1024, 1024 * MEBIBYTE, String(32 * MEBIBYTE)),
  MAXIMUM_BODY_BYTES_IN_FLIGHT: wholeNumber(2048, 4096 * MEBIBYTE, String(64 * MEBIBYTE)),
  SUGGEST_WAIT_MS: wholeNumber(0, 10 * MINUTE_MS, '20000'),
  SUGGEST_WAIT_MAXIMUM_MS: wholeNumber(0, 10 * MINUTE_MS, '25000'),
  WORKER_CONCURRENCY: wholeNumber(1, 1024, String(availableParallelism())),
  HEALTH_PORT: optionalWholeNumber(1, 65_535, '8081'),
  ENGINE_THREADS: wholeNumber(1, 256, String(availableParallelism())),
  ENGINE_TIME_LIMIT_MS: wholeNumber(100, 60 * MINUTE_MS, '60000'),
  ENGINE_WORK_LIMIT: wholeNumber(1, 1_000_000, '15000'),
  LEASE_MS: wholeNumber(500, 60 * MINUTE_MS, '6000'),
  POLL_INTERVAL_MS: wholeNumber(10, MINUTE_MS, '1000'),
  DATABASE_POOL_SIZE: wholeNumber(1, 1000, '10'),
  DATABASE_PREPARED_STATEMENTS: trueOrFalse('true'),
  STATEMENT_TIMEOUT_MS: wholeNumber(0, DAY_MS, '15000'),
  LOCK_TIMEOUT_MS: wholeNumber(0, DAY_MS, '5000'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10_000_000, '6000'),
  MAXIMUM_REQUESTS_PER_ACCOUNT: wholeNumber(1, 1_000_000, '256'),
  MAXIMUM_CONNECTIONS: wholeNumber(1, 1_000_000, '10000'),
  MAXIMUM_CONNECTIONS_PER_ADDRESS: wholeNumber(0, 1_000_000, '512'),
  MAXIMUM_REQUESTS_IN_FLIGHT: wholeNumber(1, 1_000_000, '2000'),
  MAXIMUM_WAITING_SUGGESTIONS: wholeNumber(1, 1_000_000, '1000'),
  MAXIMUM_WAITING_PER_ACCOUNT: wholeNumber(0, 1_000_000, '128'),
  MAXIMUM_EVENT_LOOP_DELAY_MS: wholeNumber(0, MINUTE_MS, '2000'),
  MAXIMUM_HEAP_PERCENT: wholeNumber(10, 100, '90'),
  MAXIMUM_OPEN_OBJECTIVES: wholeNumber(0, 1_000_000_000, '100000'),
  MAXIMUM_QUEUED_SUGGESTIONS: wholeNumber(0, 1_000_000_000, '20000'),
  MAXIMUM_CASES: wholeNumber(1, 10_000, '10000'),
  MAXIMUM_CASE_NUMBERS: wholeNumber(1000, 10_000_000, '500000'),
  MAXIMUM_STORED_BYTES_PER_ACCOUNT: wholeNumber(0, 100 * MEBIBYTE ** 2, String(1024 * MEBIBYTE)),
  MAXIMUM_STORED_ROWS_PER_ACCOUNT: wholeNumber(0, 1_000_000_000_000, '2000000'),
  DELETED_DATA_KEPT_DAYS: wholeNumber(0, 36_500, '30'),
  TRUST_PROXY: {
    rule: z.string().transform(parseTrustProxy),
    expected: 'true, false, a number of proxies, or their addresses and networks with commas between them',
    example: '10.0.0.0/8,127.0.0.1',
    fallback: 'false',
  },
  CORS_ORIGINS: {
    rule: z.string().transform(parseOrigins).optional(),
    expected: 'origins with commas between them, or *',
    example: 'https://app.example.com,http://localhost:3000',
    fallback: undefined,
  },
  ALLOW_REGISTRATION: {
    rule: z
      .enum(['true', 'false'], { error: 'is neither true nor false' })
      .transform((value) => value === 'true')
      .optional(),
    expected: 'true or false',
    example: 'true',
    fallback: undefined,
  },
  REGISTRATION_LIMIT_PER_HOUR: wholeNumber(0, 1_000_000, '10'),
  WRONG_KEYS_PER_MINUTE: wholeNumber(0, 1_000_000, '60'),
  WEBHOOK_ALLOW_PRIVATE: trueOrFalse('false'),
  WEBHOOK_TIMEOUT_MS: wholeNumber(10, MINUTE_MS, '10000'),
  WEBHOOK_CONCURRENCY: wholeNumber(2, 1024, '128'),
  WEBHOOK_MAXIMUM_BYTES: wholeNumber(16 * 1024, 64 * MEBIBYTE, String(256 * 1024)),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 10 * MINUTE_MS, '25000'),
  METRICS_PORT: optionalWholeNumber(1, 65_535, '9464'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(isHttpUrl, 'an http or https URL', 'http://collector:4318'),
  OTEL_EXPORTER_OTLP_HEADERS: {
    rule: z.string().transform(parseHeaders).optional(),
    expected: 'name=value pairs with commas between them',
    example: 'authorization=Bearer%20token',
    fallback: undefined,
    secret: true,
  },
  OTEL_TRACES_SAMPLER: {
    rule: z.enum(SAMPLERS, { error: 'is not one of them' }),
    expected: `one of ${SAMPLERS.join(', ')}`,
    example: 'parentbased_always_on',
    fallback: 'parentbased_traceidratio',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    rule: z
      .string()
      .regex(/^(0|1|[01]?\.\d{1,9})$/, 'is no such number')
      .transform(Number)
      .refine((ratio) => ratio <= 1, 'is out of range'),
    expected: 'a number from 0 to 1',
    example: '0.25',
    fallback: '0.1',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
