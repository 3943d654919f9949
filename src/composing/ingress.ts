/** The ingress: it answers HTTP. */
import { fileURLToPath } from 'node:url';
import { LastUses } from '../application/accounts/last-uses.ts';
import { EvaluationWaiters } from '../application/evaluations/evaluation-waiters.ts';
import { ExportSlots } from '../application/exports/export-slots.ts';
import { NewestResults } from '../application/newest-results.ts';
import type { OpenId } from '../application/people/openid-sign-in.ts';
import { ChangeWaiters } from '../application/search/change-waiters.ts';
import { ModelInsights } from '../application/search/model-insights.ts';
import { SuggestionWaiters } from '../application/search/suggestion-waiters.ts';
import { recordKeyUse } from '../db/accounts/api-keys.ts';
import { recordSessionUse } from '../db/accounts/browser-sessions.ts';
import { makeSharedWindow } from '../db/accounts/rate-limits.ts';
import { forAccount } from '../db/connection/client.ts';
import { type Db, databaseTrouble } from '../db/connection/transaction.ts';
import { recordLinkUse } from '../db/exports/shared-links.ts';
import { isLoopback } from '../domain/loopback.ts';
import type { ConnectionLimits } from '../http/connection/connections.ts';
import { makeRateLimiter, type RateLimiter, WINDOW_SECONDS } from '../http/fairness/rate-limiter.ts';
import { WrongKeys } from '../http/fairness/wrong-keys.ts';
import { buildServer } from '../http/server.ts';
import { ROOT } from '../installation.ts';
import { OpenIdProvider } from '../outside/openid/provider.ts';
import type { Config } from '../settings/config.ts';
import { startSchedule } from '../worker/schedule.ts';
import { mailServerOf } from './mail.ts';
import { atMost, HAND_BACK_MS, type Parts } from './parts.ts';
import { evaluatorUrlJudge, webhookUrlJudge } from './url-judges.ts';

/** Host names that requests may name besides localhost and addresses; undefined: all, as on every address but loopback by default. */
export function allowedHosts({ http }: Config): ReadonlySet<string> | undefined {
  const names = http.allowedHosts ?? (isLoopback(http.host) ? new Set<string>() : ANY_HOST);
  return names.has('*') ? undefined : names;
}

const ANY_HOST: ReadonlySet<string> = new Set(['*']);

export interface RunningIngress {
  readonly url: string;
  readonly isReady: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export async function startIngress(parts: Parts): Promise<RunningIngress> {
  const { config, log, db, disk, listener, engine, designs, metrics, tracing } = parts;
  const { maximumWaiting, maximumWaitingPerAccount } = config.suggest;
  const waits = { pollIntervalMs: config.worker.pollIntervalMs, maximumWaiting, maximumWaitingPerAccount };
  const suggestionWaiters = new SuggestionWaiters({ db, listener, ...waits });
  const changeWaiters = new ChangeWaiters({
    db,
    listener,
    pollIntervalMs: config.worker.pollIntervalMs,
    maximumWaiting: WAITS_SHARE * config.http.load.requestsInFlight,
    maximumWaitingPerAccount: WAITS_SHARE * config.http.requestsPerAccount,
  });
  const evaluationWaiters = new EvaluationWaiters({ db, listener, pollIntervalMs: config.worker.pollIntervalMs });
  const limiter = makeLimiter(config, db);
  const registrationLimiter = makeRegistrationLimiter(config, db);
  const { wrongKeysPerMinute } = config.http;
  const keyUse = new LastUses(recordKeyUse);
  const sessionUse = new LastUses(recordSessionUse);
  const linkUse = new LastUses(recordLinkUse);
  const exportSlots = new ExportSlots({ total: EXPORTS, perAccount: EXPORTS_PER_ACCOUNT });
  const { app, isReady } = await buildServer({
    db,
    dbFor: (accountId) => forAccount(db, accountId),
    designs,
    modelInsights: new ModelInsights({ engine, ...config.engine }),
    suggestionWaiters,
    evaluationWaiters,
    changeWaiters,
    overviews: new NewestResults(KEPT_OVERVIEWS),
    exportSlots,
    sheets: parts.sheets,
    openId: makeOpenId(config),
    ...(parts.files !== undefined && { files: parts.files }),
    log,
    metrics,
    tracing,
    settings: {
      bodyLimitBytes: config.http.bodyLimitBytes,
      bodyBytesInFlight: config.http.bodyBytesInFlight,
      requestsPerAccount: config.http.requestsPerAccount,
      connections: toConnectionLimits(config),
      isRefusalSlow: true,
      shutdownGraceMs: config.shutdownGraceMs,
      suggestWaitMs: config.suggest.waitMs,
      suggestWaitMaximumMs: config.suggest.waitMaximumMs,
      trustProxy: config.http.trustProxy as boolean | number | string[],
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      rateLimitPerMinute: config.http.rateLimitPerMinute,
      load: config.http.load,
      account: config.account,
      deletedDataKeptDays: config.deletedDataKeptDays,
      cell: config.cell,
      publicUrl: config.publicUrl,
      hasMail: mailServerOf(config) !== undefined,
      ...(parts.sheets !== undefined && { workbookBytes: config.workbooks.maximumBytes }),
      fileBytes: config.files.maximumBytes,
      allowedHosts: allowedHosts(config),
      corsOrigins: config.http.corsOrigins,
      isRegistrationOpen: config.http.allowRegistration ?? false,
      pageFolder: PAGE_FOLDER,
    },
    isDatabaseReady: parts.isDatabaseReady,
    ...(parts.prove !== undefined && { prove: parts.prove }),
    takesWrites: () => !disk.isFull,
    databaseTrouble,
    judgeWebhookUrl: webhookUrlJudge(config),
    judgeEvaluatorUrl: evaluatorUrlJudge(config),
    noteKeyUse: (keyId) => keyUse.note(keyId, new Date()),
    noteSessionUse: (id) => sessionUse.note(id, new Date()),
    noteLinkUse: (id) => linkUse.note(id, new Date()),
    ...(limiter !== undefined && { rateLimiter: limiter }),
    ...(registrationLimiter !== undefined && { registrationLimiter }),
    mailLimiter: perHour(config.mail.perHour, db),
    ...(wrongKeysPerMinute > 0 && { wrongKeys: new WrongKeys({ limit: wrongKeysPerMinute, now: monotonicNow }) }),
  });
  const stopSchedule = startSchedule(
    [
      { name: 'record-key-use', cron: '*/20 * * * * *', run: () => keyUse.flush(db) },
      { name: 'record-session-use', cron: '10-50/20 * * * * *', run: () => sessionUse.flush(db) },
      { name: 'record-link-use', cron: '15-55/20 * * * * *', run: () => linkUse.flush(db) },
    ],
    log,
  );
  const close = async () => {
    exportSlots.close();
    changeWaiters.close();
    evaluationWaiters.close();
    await app.close();
    suggestionWaiters.close();
    const flush = async () => {
      await stopSchedule();
      for (const uses of [keyUse, sessionUse, linkUse]) {
        await uses.flush(db).catch((error: unknown) => log.warn({ err: error }, 'last-use.not-recorded'));
      }
    };
    await atMost(HAND_BACK_MS, flush());
  };
  try {
    return { url: await app.listen({ host: config.http.host, port: config.http.port }), isReady, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined: no provider is configured. */
function makeOpenId({ openId }: Config): OpenId | undefined {
  const { issuer, groupRoles, groupDays, emailDomains, ...others } = openId;
  if (issuer === undefined) return undefined;
  return {
    provider: new OpenIdProvider({ issuer, ...others, knownGroups: new Set(groupRoles.map(({ group }) => group)) }),
    rules: { groupRoles, groupDays, emailDomains },
  };
}

/** Behind proxies every connection comes from a proxy. */
function toConnectionLimits({ http: { connections, trustProxy } }: Config): ConnectionLimits {
  return trustProxy === false ? connections : { ...connections, perAddress: 0 };
}

/** Undefined: no limit. */
function makeLimiter(config: Config, db: Db): RateLimiter | undefined {
  const limit = config.http.rateLimitPerMinute;
  if (limit === 0) return undefined;
  const window = makeSharedWindow(db, { limit, windowSeconds: WINDOW_SECONDS });
  return makeRateLimiter({ limit }, window, monotonicNow);
}

const HOUR_SECONDS = 3_600;

/** Undefined: no separate limit. */
function makeRegistrationLimiter(config: Config, db: Db): RateLimiter | undefined {
  const limit = config.http.registrationLimitPerHour;
  return limit === 0 ? undefined : perHour(limit, db);
}

function perHour(limit: number, db: Db): RateLimiter {
  const policy = { limit, windowSeconds: HOUR_SECONDS };
  return makeRateLimiter(policy, makeSharedWindow(db, policy), monotonicNow);
}

function monotonicNow(): number {
  return performance.now();
}

/** Exports of one process at a time; each takes some megabytes of memory. */
const EXPORTS = 4;
const EXPORTS_PER_ACCOUNT = 2;

/** Share of the requests in progress that may wait for a change: many open pages must leave room for other requests. */
const WAITS_SHARE = 0.8;
/** Texts of overviews, of some 50 kB each. */
const KEPT_OVERVIEWS = 50;

/** Folder in which `npm run build` puts the page. */
const PAGE_FOLDER = fileURLToPath(new URL('dist/page/', ROOT));

/** Enough for a 32 MiB body over a slow line. */
const REQUEST_TIMEOUT_MS = 120_000;
