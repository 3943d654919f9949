/**
 * Builds the ingress: first the hooks of every request, then each dialect in a scope of its own. Hooks run in the order in
 * which they are added here.
 */
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { addAgents } from './agents.ts';
import { checkMediaTypes } from './body/media-types.ts';
import { answerClientError } from './client-errors.ts';
import { CHECK_INTERVAL_MS, HEADERS_TIME_MS, limitConnections } from './connection/connections.ts';
import { makeLoadGuard } from './fairness/backpressure.ts';
import { HeavyLane } from './fairness/heavy-lane.ts';
import { makeMemoryWindow, makeRateLimiter, type RateLimiter } from './fairness/rate-limiter.ts';
import { makeRequestSlots } from './fairness/slots.ts';
import { addHealthRoutes, addProof } from './health/health.ts';
import { requireAllowedHost } from './hooks/allowed-hosts.ts';
import { refuseWhenClosing } from './hooks/closing.ts';
import { refuseWritesWhenFull } from './hooks/disk-full.ts';
import { observeRequests } from './hooks/observe.ts';
import { echoRequestId, makeRequestId } from './hooks/request-id.ts';
import { logRequests } from './hooks/request-log.ts';
import { addCommonHeaders, COMMON_HEADERS } from './hooks/security-headers.ts';
import { slowRefusals } from './hooks/slow-refusals.ts';
import { addShared } from './links/routes.ts';
import { addMail } from './mail/routes.ts';
import { addNativeDialect } from './native/routes.ts';
import type { HttpDeps, IngressDeps } from './operation/deps.ts';
import { makeErrorHandler } from './operation/errors.ts';
import { stateVersion } from './operation/interface-version.ts';
import { addDocs } from './page/docs.ts';
import { addPage } from './page/routes.ts';
import { makeBodies } from './receive/bodies.ts';
import { drainUnread } from './receive/drain-unread.ts';
import { addReference } from './reference.ts';
import { makeReports } from './report/reports.ts';
import { answerUnknownPaths, trackMethods } from './routing-errors.ts';
import { allowCrossOrigin } from './sdk/cross-origin.ts';
import { SDK_PREFIX } from './sdk/paths.ts';
import { addSdkDialect } from './sdk/routes.ts';
import { addSessions } from './session/routes.ts';
import { NATIVE_PREFIX } from './wire/native-paths.ts';

/** Ids have at most 19 digits; a longer one is still an id and gets 404. */
const MAXIMUM_PARAMETER_LENGTH = 4_096;
/** Longer than the idle timeout of common load balancers (60 s), so that the balancer closes first. */
const KEEP_ALIVE_MS = 72_000;
/** Idle time beyond the longest wait for a suggestion after which a connection counts as dead. */
const CONNECTION_SLACK_MS = 60_000;

export interface Ingress {
  /** Not listening yet. `close()` answers requests in flight first. */
  readonly app: FastifyInstance;
  /** Whether a request would be served now, as /readyz reports. */
  isReady(): Promise<boolean>;
}

export async function buildServer(deps: HttpDeps): Promise<Ingress> {
  const { settings } = deps;
  const handleError = makeErrorHandler({ databaseTrouble: deps.databaseTrouble, inversePathOf: () => undefined });
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: makeRequestId,
    trustProxy: toTrustProxy(settings.trustProxy),
    requestTimeout: settings.requestTimeoutMs,
    connectionTimeout: settings.suggestWaitMaximumMs + CONNECTION_SLACK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // refuseWhenClosing answers instead, with a problem body.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAXIMUM_PARAMETER_LENGTH },
    frameworkErrors: (error, request, reply) => {
      // No hook has run.
      handleError(error, request as FastifyRequest, (reply as FastifyReply).headers(COMMON_HEADERS));
    },
    clientErrorHandler: answerClientError,
    http: {
      headersTimeout: Math.min(HEADERS_TIME_MS, settings.requestTimeoutMs),
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
  });
  if (settings.connections !== undefined) limitConnections(app.server, settings.connections);

  observeRequests(app, deps);
  echoRequestId(app);
  addCommonHeaders(app);
  logRequests(app);
  if (settings.allowedHosts !== undefined) requireAllowedHost(app, settings.allowedHosts);
  await allowCrossOrigin(app, settings.corsOrigins ?? []);
  const isClosing = refuseWhenClosing(app, settings.shutdownGraceMs);
  checkMediaTypes(app);
  app.setErrorHandler(handleError);
  answerUnknownPaths(app);
  const refuseOtherMethods = trackMethods(app);

  const guard = settings.load === undefined ? undefined : await makeLoadGuard(app, settings.load);
  const isReady = async () => !isClosing() && guard?.isRefusing() !== true && (await deps.isDatabaseReady());
  const { takesWrites } = deps;
  addHealthRoutes(app, { isReady, ...(takesWrites !== undefined && { takesWrites }) });
  if (deps.prove !== undefined) addProof(app, deps.prove);
  addReference(app);
  await addPage(app, settings);
  await addDocs(app, settings.pageFolder);

  drainUnread(app);
  const bodies = makeBodies({
    ...settings,
    bodyBytesInFlight: settings.bodyBytesInFlight ?? 2 * settings.bodyLimitBytes,
    cells: settings.account?.cells ?? 0,
    files: { workbook: settings.workbookBytes, file: settings.fileBytes },
  });
  app.addHook('onClose', () => bodies.close());
  const reports = makeReports();
  app.addHook('onClose', () => reports.close());
  const ingress: IngressDeps = {
    ...deps,
    bodies,
    reports,
    lane: new HeavyLane(),
    slots: settings.requestsPerAccount === undefined ? undefined : makeRequestSlots(settings.requestsPerAccount),
  };
  const limiter = deps.rateLimiter ?? makeLocalLimiter(settings.rateLimitPerMinute);
  await app.register(async (dialects) => {
    guard?.install(dialects);
    if (settings.isRefusalSlow === true) slowRefusals(dialects);
    if (takesWrites !== undefined) refuseWritesWhenFull(dialects, takesWrites);
    await dialects.register(async (scope) => addSessions(scope, ingress, limiter));
    await dialects.register(async (scope) => addShared(scope, ingress, limiter));
    await dialects.register(async (scope) => addMail(scope, ingress, limiter));
    await dialects.register(
      async (scope) => {
        stateVersion(scope);
        await addNativeDialect(scope, ingress, limiter);
      },
      { prefix: NATIVE_PREFIX },
    );
    await dialects.register(async (scope) => addSdkDialect(scope, ingress, limiter), { prefix: SDK_PREFIX });
    await dialects.register(async (scope) => addAgents(scope, ingress, limiter));
  });

  refuseOtherMethods();
  return { app, isReady };
}

/** Counts in this process only. Undefined: no limit. */
function makeLocalLimiter(limit: number): RateLimiter | undefined {
  const now = () => performance.now();
  return limit === 0 ? undefined : makeRateLimiter({ limit }, makeMemoryWindow(limit, now), now);
}

function toTrustProxy(setting: boolean | number | readonly string[]) {
  if (typeof setting === 'number') return (_address: string, hop: number) => hop < setting;
  return typeof setting === 'object' ? [...setting] : setting;
}
