/** What the ingress needs from outside. It passes `db` and `settledSteps` on to the use cases and never looks inside. */
import type { Logger } from 'pino';
import type { AccountLimits } from '../application/account-limits.ts';
import type { SettledSteps } from '../application/await-suggestion.ts';
import type { DatabaseTrouble, Db } from '../db/transaction.ts';
import type { Engine } from '../engine/pool.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { LoadLimits } from './plugins/backpressure.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface HttpSettings {
  /** Largest request body; a full set of output cases must fit. */
  readonly bodyLimitBytes: number;
  /** How long a suggest request waits for its suggestion unless the client says otherwise. */
  readonly suggestWaitMs: number;
  /** The longest wait a client may ask for. */
  readonly suggestWaitMaximumMs: number;
  /** Fastify's trustProxy: whether X-Forwarded-* count, or whose. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Time in which a whole request must have arrived. */
  readonly requestTimeoutMs: number;
  /** Requests per key and minute; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** Origins from which browsers may call the SDK dialect, '*' for all; none unless given. */
  readonly corsOrigins?: readonly string[];
  /** Whether anybody may make an account; closed unless given. */
  readonly isRegistrationOpen?: boolean;
  /** What one process takes on at once; everything unless given. */
  readonly load?: LoadLimits;
  /** What one account may hold; anything unless given. */
  readonly account?: AccountLimits;
}

export interface HttpDeps {
  readonly db: Db;
  readonly engine: Engine;
  readonly settledSteps: SettledSteps;
  readonly log: Logger;
  readonly settings: HttpSettings;
  /** Whether the database answers and its schema is up to date. */
  isDatabaseReady(): Promise<boolean>;
  /** What is the matter with the database when the same request may succeed later, else undefined. */
  databaseTrouble(error: unknown): DatabaseTrouble | undefined;
  /** Told about every authenticated request; must not wait for anything. */
  noteKeyUse(keyId: string): void;
  /** What is wrong with the URL of a webhook's receiver, as the end of a sentence about it, or undefined. */
  judgeWebhookUrl(url: string): string | undefined;
  /** Counts and times requests. */
  readonly metrics?:
    | Pick<Metrics, 'requestStarted' | 'requestEnded' | 'requestAnswered' | 'requestAborted'>
    | undefined;
  /** Follows requests into the database and to the worker. */
  readonly tracing?: Tracing | undefined;
  /** Replaces the limiter in memory, for limits shared between processes. */
  readonly rateLimiter?: RateLimiter;
}
