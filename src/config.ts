/**
 * Settings: environment variables -> one frozen Config. Nothing else reads the environment. Every variable has its
 * rule, default and an example in SETTINGS; docs/settings.md lists the same names and defaults (compared by a test).
 */
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

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly http: {
    readonly host: string;
    /** 0 lets the system choose a free port. */
    readonly port: number;
    readonly bodyLimitBytes: number;
    /** Bytes of all bodies that a process holds at a time. */
    readonly bodyBytesInFlight: number;
    /** Requests of one account that a process has in hand at a time. */
    readonly requestsPerAccount: number;
    readonly connections: {
      readonly total: number;
      /** 0 switches the limit off. */
      readonly perAddress: number;
    };
    /** Requests per account and minute; 0 switches the limit off. */
    readonly rateLimitPerMinute: number;
    /** What one process takes on before it answers 503. */
    readonly load: {
      readonly requestsInFlight: number;
      /** 0 switches the guard off. */
      readonly eventLoopDelayMs: number;
      readonly heapShare: number;
    };
    /** As Fastify takes it: nobody, everybody, a number of hops, or addresses and networks. */
    readonly trustProxy: boolean | number | readonly string[];
    /** Origins that browsers may call from; ['*'] for all of them. */
    readonly corsOrigins: readonly string[];
    /** Undefined: the command decides, `start` on a loopback address opens it and `serve` keeps it closed. */
    readonly allowRegistration: boolean | undefined;
    /** Per client address; 0 switches the limit off. */
    readonly registrationLimitPerHour: number;
    /** Wrong API keys per client address; 0 switches the limit off. */
    readonly wrongKeysPerMinute: number;
  };
  readonly suggest: {
    readonly waitMs: number;
    readonly waitMaximumMs: number;
    /** Requests of one process that wait for a suggestion at a time. */
    readonly maximumWaiting: number;
    /** Of one account; 0 means any number. */
    readonly maximumWaitingPerAccount: number;
  };
  /** What one account may hold at a time; 0 means any number. */
  readonly account: {
    readonly openObjectives: number;
    readonly queuedSuggestions: number;
    /** Cases of one project. */
    readonly cases: number;
    /** Numbers in the input cases of a project, and in a set of output cases. */
    readonly cells: number;
    readonly storedBytes: number;
    readonly storedRows: number;
  };
  /** For how long deleted records are kept; 0: until the next pass of the purge. */
  readonly deletedDataKeptDays: number;
  readonly database: {
    /** Undefined: only `start` can do without, on the embedded server. */
    readonly url: string | undefined;
    /** For the one connection that waits for notifications; undefined: as the others. */
    readonly listenUrl: string | undefined;
    readonly poolSize: number;
    readonly preparesStatements: boolean;
    readonly statementTimeoutMs: number;
    readonly lockTimeoutMs: number;
  };
  readonly worker: {
    readonly concurrency: number;
    readonly leaseMs: number;
    readonly pollIntervalMs: number;
    /** Undefined: `work` opens no port. */
    readonly healthPort: number | undefined;
  };
  readonly engine: {
    readonly threads: number;
    readonly timeLimitMs: number;
    /** Counted work of one suggestion, in millions of floating point operations. */
    readonly workLimit: number;
  };
  readonly webhooks: {
    /** Whether receivers in private networks, and plain http, are allowed. */
    readonly allowPrivate: boolean;
    readonly timeoutMs: number;
    /** Attempts under way at once in one worker. */
    readonly concurrency: number;
    /** Of one body. */
    readonly maximumBytes: number;
  };
  readonly log: { readonly level: LogLevel };
  readonly telemetry: {
    /** Undefined: no port of its own; a worker's health port answers /metrics all the same. */
    readonly metricsPort: number | undefined;
    /** Base address of an OTLP receiver; undefined: no traces. */
    readonly otlpEndpoint: string | undefined;
    readonly otlpHeaders: Readonly<Record<string, string>>;
    /** Which traces are kept. */
    readonly sampler: (typeof SAMPLERS)[number];
    /** For the samplers that keep a share: 0 to 1. */
    readonly sampleRatio: number;
  };
  /** Where `start` keeps its database between runs. */
  readonly dataDir: string;
  readonly bootstrapApiKey: string | undefined;
  readonly shutdownGraceMs: number;
}

/** Settings that are wrong. `message` is meant for a terminal: every bad variable, what is wrong, expected, an example. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const SAMPLERS = [
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
interface Setting<Schema extends z.ZodType = z.ZodType> {
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

/** Reads the settings; an empty value counts as absent. Throws ConfigError naming every bad one. */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const read = <Name extends SettingName>(name: Name): z.output<(typeof SETTINGS)[Name]['rule']> => {
    const setting: Setting = SETTINGS[name];
    const given = env[name]?.trim();
    const result = setting.rule.safeParse(given === undefined || given === '' ? setting.fallback : given);
    if (!result.success) problems.push(describe(name, given ?? '', result.error.issues[0]?.message ?? 'is wrong'));
    return result.data as z.output<(typeof SETTINGS)[Name]['rule']>;
  };
  const config: Config = {
    http: {
      host: read('HOST'),
      port: read('PORT'),
      bodyLimitBytes: read('BODY_LIMIT_BYTES'),
      bodyBytesInFlight: read('MAXIMUM_BODY_BYTES_IN_FLIGHT'),
      requestsPerAccount: read('MAXIMUM_REQUESTS_PER_ACCOUNT'),
      connections: {
        total: read('MAXIMUM_CONNECTIONS'),
        perAddress: read('MAXIMUM_CONNECTIONS_PER_ADDRESS'),
      },
      rateLimitPerMinute: read('RATE_LIMIT_PER_MINUTE'),
      load: {
        requestsInFlight: read('MAXIMUM_REQUESTS_IN_FLIGHT'),
        eventLoopDelayMs: read('MAXIMUM_EVENT_LOOP_DELAY_MS'),
        heapShare: read('MAXIMUM_HEAP_PERCENT') / 100,
      },
      trustProxy: read('TRUST_PROXY'),
      corsOrigins: read('CORS_ORIGINS') ?? [],
      allowRegistration: read('ALLOW_REGISTRATION'),
      registrationLimitPerHour: read('REGISTRATION_LIMIT_PER_HOUR'),
      wrongKeysPerMinute: read('WRONG_KEYS_PER_MINUTE'),
    },
    suggest: {
      waitMs: read('SUGGEST_WAIT_MS'),
      waitMaximumMs: read('SUGGEST_WAIT_MAXIMUM_MS'),
      maximumWaiting: read('MAXIMUM_WAITING_SUGGESTIONS'),
      maximumWaitingPerAccount: read('MAXIMUM_WAITING_PER_ACCOUNT'),
    },
    account: {
      openObjectives: read('MAXIMUM_OPEN_OBJECTIVES'),
      queuedSuggestions: read('MAXIMUM_QUEUED_SUGGESTIONS'),
      cases: read('MAXIMUM_CASES'),
      cells: read('MAXIMUM_CASE_NUMBERS'),
      storedBytes: read('MAXIMUM_STORED_BYTES_PER_ACCOUNT'),
      storedRows: read('MAXIMUM_STORED_ROWS_PER_ACCOUNT'),
    },
    deletedDataKeptDays: read('DELETED_DATA_KEPT_DAYS'),
    database: {
      url: read('DATABASE_URL'),
      listenUrl: read('LISTEN_DATABASE_URL'),
      poolSize: read('DATABASE_POOL_SIZE'),
      preparesStatements: read('DATABASE_PREPARED_STATEMENTS'),
      statementTimeoutMs: read('STATEMENT_TIMEOUT_MS'),
      lockTimeoutMs: read('LOCK_TIMEOUT_MS'),
    },
    worker: {
      concurrency: read('WORKER_CONCURRENCY'),
      leaseMs: read('LEASE_MS'),
      pollIntervalMs: read('POLL_INTERVAL_MS'),
      healthPort: read('HEALTH_PORT'),
    },
    engine: {
      threads: read('ENGINE_THREADS'),
      timeLimitMs: read('ENGINE_TIME_LIMIT_MS'),
      workLimit: read('ENGINE_WORK_LIMIT'),
    },
    webhooks: {
      allowPrivate: read('WEBHOOK_ALLOW_PRIVATE'),
      timeoutMs: read('WEBHOOK_TIMEOUT_MS'),
      concurrency: read('WEBHOOK_CONCURRENCY'),
      maximumBytes: read('WEBHOOK_MAXIMUM_BYTES'),
    },
    log: { level: read('LOG_LEVEL') },
    telemetry: {
      metricsPort: read('METRICS_PORT'),
      otlpEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
      otlpHeaders: read('OTEL_EXPORTER_OTLP_HEADERS') ?? {},
      sampler: read('OTEL_TRACES_SAMPLER'),
      sampleRatio: read('OTEL_TRACES_SAMPLER_ARG'),
    },
    dataDir: read('DATA_DIR'),
    bootstrapApiKey: read('BACKSOLVE_BOOTSTRAP_API_KEY'),
    shutdownGraceMs: read('SHUTDOWN_GRACE_MS'),
  };
  if (config.suggest.waitMs > config.suggest.waitMaximumMs) {
    problems.push(
      describe('SUGGEST_WAIT_MS', String(config.suggest.waitMs), `is above SUGGEST_WAIT_MAXIMUM_MS`, {
        expected: `at most ${config.suggest.waitMaximumMs}, the value of SUGGEST_WAIT_MAXIMUM_MS`,
        example: String(config.suggest.waitMaximumMs),
      }),
    );
  }
  if (config.http.bodyBytesInFlight < 2 * config.http.bodyLimitBytes) {
    const least = 2 * config.http.bodyLimitBytes;
    problems.push(
      describe('MAXIMUM_BODY_BYTES_IN_FLIGHT', String(config.http.bodyBytesInFlight), 'is below 2 x BODY_LIMIT_BYTES', {
        expected: `at least ${least}: one account may have half of it, and a whole body must fit into that`,
        example: String(least),
      }),
    );
  }
  if (problems.length > 0) throw new ConfigError(report(problems));
  return deepFreeze(config);
}

function describe(
  name: SettingName,
  given: string,
  complaint: string,
  { expected, example }: { expected: string; example: string } = SETTINGS[name],
): string {
  const setting: Setting = SETTINGS[name];
  const shown = setting.secret ? '(not shown)' : JSON.stringify(given.length > 80 ? `${given.slice(0, 80)}...` : given);
  return `  ${name} ${shown} ${complaint}\n    expected: ${expected}\n    example:  ${name}=${example}`;
}

function report(problems: readonly string[]): string {
  const count = problems.length === 1 ? 'One setting is wrong' : `${problems.length} settings are wrong`;
  return `${count}; every setting is explained in docs/settings.md.\n\n${problems.join('\n\n')}\n`;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
