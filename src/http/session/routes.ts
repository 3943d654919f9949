/** Signing in to the page and out again. For browsers; programs send a key with every request. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  endSession,
  isAnyAlive,
  type NewSession,
  signInByKey,
  signInByLink,
} from '../../application/accounts/browser-sessions.ts';
import { cellOf, parseApiKey } from '../../domain/api-key.ts';
import { DomainError, refuseViolations } from '../../domain/errors.ts';
import { clientAddress } from '../client-address.ts';
import type { IngressDeps } from '../deps.ts';
import { makeErrorHandler } from '../errors.ts';
import { makeSessionFinder } from '../hooks/authenticate.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { forbidCaching } from '../hooks/security-headers.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { WrongKeys } from '../wrong-keys.ts';
import { noCookie, noStrayCookies, readProof, readTokens, sessionCookie } from './cookie.ts';
import { refuseOtherPages, requireOwnPage } from './cross-site.ts';
import { newSession, presentNewSession, presentSession, type SignIn } from './session.wire.ts';

const PATH = '/session';
/** Per address. A person who mistypes a key does not notice the limit. */
const WRONG_SIGN_INS_PER_MINUTE = 10;

/** `limiter` counts by address; undefined: no limit. */
export function addSessions(scope: FastifyInstance, deps: IngressDeps, limiter: RateLimiter | undefined): void {
  forbidCaching(scope);
  scope.setErrorHandler(makeErrorHandler({ databaseTrouble: deps.databaseTrouble, inversePathOf: () => undefined }));
  if (limiter !== undefined) limitRate(scope, limiter, (request) => `session ${clientAddress(request)}`);
  const signIn = makeSignIn(deps);
  const find = makeSessionFinder(deps);

  scope.post(PATH, async (request, reply) => {
    refuseOtherPages(request, 'Signing in is possible only from the page of this service');
    const holder = `address ${clientAddress(request)}`;
    const { value, violations } = await deps.bodies.read(request, reply, newSession, holder);
    refuseViolations(violations);
    const session = await signIn(request, value!);
    // The browser forgets its earlier session.
    const earlier = readProof(request);
    if (earlier !== undefined) await endSession(deps.db, earlier);
    reply.header('set-cookie', sessionCookie(request, session.token, session.expiresAt));
    return reply.code(201).send(presentNewSession(session));
  });

  /** null without a session: pages ask, and browsers report every 4xx as an error of the page. */
  scope.get(PATH, async (request, reply) => {
    reply.type('application/json; charset=utf-8');
    const proof = readProof(request);
    if (proof === undefined) return 'null';
    try {
      return JSON.stringify(presentSession(await find(request, reply, proof)));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'SESSION_ENDED') throw error;
      // Another tab may have signed in meanwhile: its cookie stays.
      if (!(await isAnyAlive(deps.db, proof.tokens))) {
        reply.header('set-cookie', [noCookie(request), ...noStrayCookies(request)]);
      }
      return 'null';
    }
  });

  scope.delete(PATH, async (request, reply) => {
    if (readTokens(request).length > 0) requireOwnPage(request);
    const proof = readProof(request);
    const accountId = proof && (await endSession(deps.db, proof));
    if (accountId !== undefined) request.log.info({ accountId }, 'session.ended');
    return reply.header('set-cookie', noCookie(request)).code(204).send();
  });
}

/** A proxy cannot read the key in a body. */
function refuseOtherCell(keyText: string, own: string | undefined): void {
  const cell = cellOf(keyText);
  if (own === undefined || cell === undefined || cell === own) return;
  throw new DomainError(
    'UNAUTHENTICATED',
    `This key belongs to cell ${cell}: open /page?cell=${cell} and sign in there.`,
  );
}

/** Throws UNAUTHENTICATED, LINK_ENDED, and TOO_MANY_WRONG_KEYS without a look-up. */
function makeSignIn(deps: IngressDeps): (request: FastifyRequest, sent: SignIn) => Promise<NewSession> {
  const { db, metrics } = deps;
  const tries = deps.wrongSignIns ?? new WrongKeys({ limit: WRONG_SIGN_INS_PER_MINUTE, now: () => performance.now() });
  return async (request, { by, text }) => {
    const address = clientAddress(request);
    const retryAfterSeconds = tries.waitSeconds(address, text);
    if (retryAfterSeconds !== undefined) {
      metrics?.signInTried(by, 'slowed');
      const message = `Too many failed sign-ins from your address; check the key and retry in ${retryAfterSeconds} s.`;
      throw new DomainError('TOO_MANY_WRONG_KEYS', message, { retryAfterSeconds });
    }
    if (by === 'key') refuseOtherCell(text, deps.settings.cell);
    try {
      const session = await (by === 'key' ? signInByKey(db, text) : signInByLink(db, text));
      if (by === 'key') tries.noteRight(parseApiKey(text)!);
      request.log.info({ by, accountId: session.accountId, keyId: session.keyId }, 'session.started');
      metrics?.signInTried(by, 'signed-in');
      return session;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      tries.noteWrong(address, text);
      request.log.warn({ by, address }, 'session.refused');
      metrics?.signInTried(by, 'refused');
      throw error;
    }
  };
}
