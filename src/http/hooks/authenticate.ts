/** Identifies the owner of a request's key, or of its session, before its body is read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, type KeyHolder, type Principal } from '../../application/accounts/authenticate.ts';
import { findSession, type Session, type SessionProof } from '../../application/accounts/browser-sessions.ts';
import { SharedLookups } from '../../application/shared-lookups.ts';
import type { ApiKey } from '../../domain/accounts/api-key.ts';
import { parseToken } from '../../domain/accounts/browser-session.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { clientAddress } from '../connection/client-address.ts';
import { noStrayCookies, readProof, requireProof } from '../cookies/cookie.ts';
import { requireOwnPage } from '../cookies/cross-site.ts';
import type { HttpDeps } from '../operation/deps.ts';

interface Identified {
  readonly principal: Principal;
  /** Looks the key or session up again. */
  again(): Promise<Principal>;
}

const identified = new WeakMap<FastifyRequest, Identified>();

/** The owner of the request's key or session; only for routes behind `requireKey` or `requireKeyOrSession`. */
export function principalOf(request: FastifyRequest): Principal {
  return identifiedOf(request).principal;
}

/** Looks the key or session up again, for a request that has waited. Throws as `requireKey` and `requireKeyOrSession` do if it has ended. */
export async function identifyAgain(request: FastifyRequest): Promise<Principal> {
  const { again } = identifiedOf(request);
  const principal = await again();
  identified.set(request, { principal, again });
  return principal;
}

function identifiedOf(request: FastifyRequest): Identified {
  const found = identified.get(request);
  if (found === undefined) throw new Error(`the route ${request.routeOptions.url} lacks authentication`);
  return found;
}

export function requireKey(scope: FastifyInstance, deps: HttpDeps): void {
  const ownerOfKey = makeKeyFinder(deps);
  identify(scope, (request) => ownerOfKey(request, readKey(request)));
}

/** A key takes precedence over a session, and writes by session must come from the service's own page. */
export function requireKeyOrSession(scope: FastifyInstance, deps: HttpDeps): void {
  const ownerOfKey = makeKeyFinder(deps);
  const ownerOfSession = makeSessionFinder(deps);
  identify(scope, async (request, reply) => {
    const keyText = readKey(request);
    const proof = keyText === undefined ? requireProof(request) : undefined;
    if (proof === undefined) return ownerOfKey(request, keyText);
    const session = await ownerOfSession(request, reply, proof);
    if (request.method !== 'GET' && request.method !== 'HEAD') requireOwnPage(request);
    return session;
  });
}

type FindOwner = (request: FastifyRequest, reply: FastifyReply) => Promise<Principal>;

function identify(scope: FastifyInstance, findOwner: FindOwner): void {
  scope.addHook('onRequest', async (request, reply) => {
    const again = () => findOwner(request, reply);
    identified.set(request, { principal: await again(), again });
  });
}

/** Throws UNAUTHENTICATED, or TOO_MANY_WRONG_KEYS without a look-up. A request without a key does not count as a guess. */
function makeKeyFinder(deps: HttpDeps): (request: FastifyRequest, keyText: string | undefined) => Promise<Principal> {
  const lookups = new SharedLookups<KeyHolder>();
  return async (request, keyText) => {
    const find = () => lookups.find(keyText ?? '', () => authenticate(deps.db, keyText));
    const principal = await (keyText === undefined
      ? find()
      : slowGuesses(deps, request, keyText, find, (found) => found));
    deps.noteKeyUse(principal.keyId);
    return principal;
  };
}

/**
 * Finds the session of a request, notes its use and removes cookies that others put beside its own. Throws SESSION_ENDED, or
 * TOO_MANY_WRONG_KEYS without a look-up.
 */
export function makeSessionFinder(
  deps: HttpDeps,
): (request: FastifyRequest, reply: FastifyReply, proof: SessionProof) => Promise<Session> {
  const lookups = new SharedLookups<Session>();
  return async (request, reply, proof) => {
    const { tokens, pageSecret } = proof;
    const find = () => lookups.find([pageSecret, ...tokens].join(' '), () => findSession(deps.db, proof));
    const session = await slowGuesses(deps, request, pageSecret, find, () => parseToken(pageSecret)!);
    if (tokens.length > 1) reply.header('set-cookie', noStrayCookies(request));
    deps.noteSessionUse?.(session.sessionId);
    if (session.keyId !== null) deps.noteKeyUse(session.keyId);
    return session;
  };
}

const WRONG: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'SESSION_ENDED', 'SHARED_LINK_ENDED']);

/** Runs `find` unless the address has sent too many wrong keys and this one is not known; the key that `partsOf` returns is then remembered. */
export async function slowGuesses<T>(
  { wrongKeys }: HttpDeps,
  request: FastifyRequest,
  text: string,
  find: () => Promise<T>,
  partsOf: (found: T) => ApiKey,
): Promise<T> {
  if (wrongKeys === undefined) return find();
  const address = clientAddress(request);
  const retryAfterSeconds = wrongKeys.waitSeconds(address, text);
  if (retryAfterSeconds !== undefined) {
    const message = `Too many wrong API keys or links came from your address; check yours and retry in ${retryAfterSeconds} s.`;
    throw new DomainError('TOO_MANY_WRONG_KEYS', message, { retryAfterSeconds });
  }
  try {
    const found = await find();
    wrongKeys.noteRight(partsOf(found));
    return found;
  } catch (error) {
    const isWrong = error instanceof DomainError && WRONG.has(error.code);
    if (isWrong && wrongKeys.noteWrong(address, text)) {
      request.log.warn({ address, limit: wrongKeys.limit }, 'authentication.slowed');
    }
    throw error;
  }
}

/** The text by which a request identifies itself, right or wrong. */
export function readKeyOrPageSecret(request: FastifyRequest): string | undefined {
  return readKey(request) ?? readProof(request)?.pageSecret;
}

/** The key in Authorization: Bearer, or in X-API-Key. */
export function readKey(request: FastifyRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  if (bearer !== null) return bearer[1];
  const header = request.headers['x-api-key'];
  return typeof header === 'string' ? header.trim() : undefined;
}
