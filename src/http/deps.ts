/** What the ingress needs from outside. It passes `db` and `suggestionWaiters` on to the use cases and never looks inside. */
import type { Logger } from 'pino';
import type { AccountLimits } from '../application/account-limits.ts';
import type { ExportSlots } from '../application/export-slots.ts';
import type { SuggestionWaiters } from '../application/suggestion-waiters.ts';
import type { DatabaseTrouble, Db } from '../db/transaction.ts';
import type { Engine } from '../engine/pool.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Bodies } from './body/bodies.ts';
import type { HeavyLane } from './fairness/heavy-lane.ts';
import type { RequestSlots } from './fairness/slots.ts';
import type { LoadLimits } from './hooks/backpressure.ts';
import type { ConnectionLimits } from './hooks/connections.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { WrongKeys } from './wrong-keys.ts';

export interface HttpSettings {
  /** Largest body of a request that carries cases. */
  readonly bodyLimitBytes: number;
  /** Bytes of all bodies that the process holds at a time; twice bodyLimitBytes unless given. */
  readonly bodyBytesInFlight?: number;
  /** How long a suggest request waits for its suggestion unless the client says otherwise. */
  readonly suggestWaitMs: number;
  /** The longest wait a client may ask for. */
  readonly suggestWaitMaximumMs: number;
  /** Fastify's trustProxy: whether X-Forwarded-* count, or whose. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Time in which a whole request must have arrived. */
  readonly requestTimeoutMs: number;
  /** Requests that one account may have in hand; any number unless given. */
  readonly requestsPerAccount?: number;
  /** Connections from one address, and at all; any number unless given. */
  readonly connections?: ConnectionLimits;
  /** Whether refusals that can be collected by the thousand are answered late; not unless given. */
  readonly isRefusalSlow?: boolean;
  /** In which a closing server answers what is in hand; unless given it waits as long as that takes. */
  readonly shutdownGraceMs?: number;
  /** Requests per account and minute; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** Origins from which browsers may call the SDK dialect, '*' for all; none unless given. */
  readonly corsOrigins?: readonly string[];
  /** Whether anybody may make an account; closed unless given. */
  readonly isRegistrationOpen?: boolean;
  /** What one process takes on at once; everything unless given. */
  readonly load?: LoadLimits;
  /** What one account may hold; anything unless given. */
  readonly account?: AccountLimits;
  /** For how long deleted records are kept; 0 unless given. */
  readonly deletedDataKeptDays?: number;
}

export interface HttpDeps {
  readonly db: Db;
  /** The handle for what an account asks; `db` itself unless given. */
  dbFor?(accountId: number): Db;
  readonly engine: Engine;
  readonly suggestionWaiters: SuggestionWaiters;
  readonly log: Logger;
  readonly settings: HttpSettings;
  /** Whether the database answers and its schema is up to date. */
  isDatabaseReady(): Promise<boolean>;
  /** Whether the database has room for what is written, as far as this process has seen; true unless given. */
  takesWrites?(): boolean;
  /** What is the matter with the database when the same request may succeed later, else undefined. */
  databaseTrouble(error: unknown): DatabaseTrouble | undefined;
  /** Told about every authenticated request; must not wait for anything. */
  noteKeyUse(keyId: string): void;
  /** What is wrong with the URL of a webhook's receiver, as the end of a sentence about it, or undefined. */
  judgeWebhookUrl(url: URL): string | undefined;
  /** Counts and times requests. */
  readonly metrics?:
    | Pick<Metrics, 'requestStarted' | 'requestEnded' | 'requestAnswered' | 'requestAborted'>
    | undefined;
  /** Follows requests into the database and to the worker. */
  readonly tracing?: Tracing | undefined;
  /** Bounds the exports under way; any number unless given. */
  readonly exportSlots?: ExportSlots;
  /** Replaces the limiter in memory, for limits shared between processes. */
  readonly rateLimiter?: RateLimiter;
  /** Registrations per address; the limit of requests counts unless given. */
  readonly registrationLimiter?: RateLimiter;
  /** Slows down whoever sends wrong keys; nobody unless given. */
  readonly wrongKeys?: WrongKeys;
}

/** What the server adds for the operations. */
export interface IngressDeps extends HttpDeps {
  readonly bodies: Bodies;
  /** Who may keep the process busy. */
  readonly lane: HeavyLane;
  /** Undefined: an account may have any number of requests in hand. */
  readonly slots: RequestSlots | undefined;
}
