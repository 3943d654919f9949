/** Settings: environment variables -> one frozen Config. Nothing else reads the environment. */
import type { z } from 'zod';
import { type LOG_LEVELS, type SAMPLERS, SETTINGS, type Setting, type SettingName } from './settings.ts';

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
