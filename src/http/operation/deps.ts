/** Everything that the ingress is given. It only hands `db` and the waiters on to the use cases. */
import type { Logger } from 'pino';
import type { AccountLimits } from '../../application/accounts/account-limits.ts';
import type { EvaluationWaiters } from '../../application/evaluations/evaluation-waiters.ts';
import type { ExportSlots } from '../../application/exports/export-slots.ts';
import type { NewestResults } from '../../application/newest-results.ts';
import type { ObjectStore } from '../../application/notes/note-files.ts';
import type { OpenId } from '../../application/people/openid-sign-in.ts';
import type { Designs } from '../../application/problem/designs.ts';
import type { ChangeWaiters } from '../../application/search/change-waiters.ts';
import type { ModelInsights } from '../../application/search/model-insights.ts';
import type { SuggestionWaiters } from '../../application/search/suggestion-waiters.ts';
import type { AllowedSheets } from '../../application/workbooks/keep-workbooks.ts';
import type { DatabaseTrouble, Db } from '../../db/connection/transaction.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { ConnectionLimits } from '../connection/connections.ts';
import type { LoadLimits } from '../fairness/backpressure.ts';
import type { HeavyLane } from '../fairness/heavy-lane.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import type { RequestSlots } from '../fairness/slots.ts';
import type { WrongKeys } from '../fairness/wrong-keys.ts';
import type { Bodies } from '../receive/bodies.ts';
import type { Reports } from '../report/reports.ts';

export interface HttpSettings {
  /** Largest body with cases. */
  readonly bodyLimitBytes: number;
  /** Bytes of all bodies in the process at a time; default: twice bodyLimitBytes. */
  readonly bodyBytesInFlight?: number;
  /** Time that a request waits for its suggestion by default. */
  readonly suggestWaitMs: number;
  /** The longest wait that a client may ask for. */
  readonly suggestWaitMaximumMs: number;
  /** Fastify's trustProxy: whether, or from whom, to trust X-Forwarded-*. */
  readonly trustProxy: boolean | number | readonly string[];
  /** The time within which a whole request must arrive. */
  readonly requestTimeoutMs: number;
  /** Requests that one account may have in progress; default: unlimited. */
  readonly requestsPerAccount?: number;
  /** Connections per address and in total; default: unlimited. */
  readonly connections?: ConnectionLimits;
  /** Whether to delay refusals that a client could trigger by the thousand; default: false. */
  readonly isRefusalSlow?: boolean;
  /** Time that a closing server may take to answer requests in progress; default: unlimited. */
  readonly shutdownGraceMs?: number;
  /** Requests per account and minute; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** Host names that requests may name besides localhost and addresses; default: all. */
  readonly allowedHosts?: ReadonlySet<string> | undefined;
  /** Origins from which browsers may call the SDK dialect, '*' for all; default: none. */
  readonly corsOrigins?: readonly string[];
  /** Whether anybody may create an account; default: false. */
  readonly isRegistrationOpen?: boolean;
  /** Limits of this process; default: none. */
  readonly load?: LoadLimits;
  /** Limits of each account; default: none. */
  readonly account?: AccountLimits;
  /** Days for which deleted records are kept; default: 0. */
  readonly deletedDataKeptDays?: number;
  /** The label of this deployment among several; default: it is the only one. */
  readonly cell?: string | undefined;
  /** URL at which people reach the service; default: the one that the request came to. */
  readonly publicUrl?: string | undefined;
  /** Whether workers can send e-mails; default: false. */
  readonly hasMail?: boolean;
  /** Largest workbook; absent with `sheets`. */
  readonly workbookBytes?: number;
  /** Largest file of a note; default: none are taken. */
  readonly fileBytes?: number;
  /** The folder of the built page; without it, the page counts as not built. */
  readonly pageFolder?: string;
}

export interface HttpDeps {
  readonly db: Db;
  /** The database handle for requests of an account; default: `db`. */
  dbFor?(accountId: number): Db;
  readonly designs: Designs;
  readonly modelInsights: ModelInsights;
  readonly suggestionWaiters: SuggestionWaiters;
  readonly evaluationWaiters: EvaluationWaiters;
  /** Without them no request waits for a change. */
  readonly changeWaiters?: ChangeWaiters;
  /** Cache of answer texts; without it, each text is made again. */
  readonly overviews?: NewestResults<string>;
  readonly log: Logger;
  readonly settings: HttpSettings;
  /** Whether the database answers and its schema is up to date. */
  isDatabaseReady(): Promise<boolean>;
  /** The proof of a local service that it has a key, for the port it listens on and a nonce; absent elsewhere. */
  prove?(port: number, nonce: string): string;
  /** Whether the database has disk space for writes, as far as this process knows; default: true. */
  takesWrites?(): boolean;
  /** The trouble with the database if a retry may succeed, otherwise undefined. */
  databaseTrouble(error: unknown): DatabaseTrouble | undefined;
  /** Called for every authenticated request; must not block. */
  noteKeyUse(keyId: string): void;
  /** The same for a session of the page. */
  noteSessionUse?(id: number): void;
  /** The same for a link that shows an objective. */
  noteLinkUse?(id: number): void;
  /** The fault of a webhook's URL, as the end of a sentence about it, or undefined. */
  judgeWebhookUrl(url: URL): string | undefined;
  /** The same for the URL of an evaluator. */
  judgeEvaluatorUrl(url: URL): string | undefined;
  /** Counts and times requests. */
  readonly metrics?:
    | Pick<
        Metrics,
        | 'requestStarted'
        | 'requestEnded'
        | 'requestAnswered'
        | 'requestAborted'
        | 'evaluationReported'
        | 'evaluationLeaseLost'
        | 'signInTried'
      >
    | undefined;
  /** Traces requests into the database and the worker. */
  readonly tracing?: Tracing | undefined;
  /** The provider by which people may sign in; absent: none is configured. */
  readonly openId?: OpenId | undefined;
  /** Works on uploaded workbooks; absent: the operator does not allow it. */
  readonly sheets?: AllowedSheets;
  /** For files of notes; absent: they are in the database. */
  readonly files?: ObjectStore;
  /** Limits exports in progress; default: unlimited. */
  readonly exportSlots?: ExportSlots;
  /** Replaces the limiter in memory, to share limits between processes. */
  readonly rateLimiter?: RateLimiter;
  /** Limits the recipients that an account adds; default: unlimited. */
  readonly mailLimiter?: RateLimiter;
  /** Limits registrations per address; by default the limit on requests applies. */
  readonly registrationLimiter?: RateLimiter;
  /** Slows down clients that send wrong keys; default: none. */
  readonly wrongKeys?: WrongKeys;
  /** Counts failed sign-ins; default: 10 per address and minute. */
  readonly wrongSignIns?: WrongKeys;
}

/** Dependencies of the handlers of operations. */
export interface HandlerDeps extends HttpDeps {
  readonly reports: Reports;
}

/** Adds what the server itself builds for the operations. */
export interface IngressDeps extends HandlerDeps {
  readonly bodies: Bodies;
  /** Rations long work between accounts. */
  readonly lane: HeavyLane;
  /** Undefined: requests in progress are not limited. */
  readonly slots: RequestSlots | undefined;
}
