/** Signing in to the page and out again. For browsers; programs send a key with every request. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  endSession,
  isAnyAlive,
  type NewSession,
  type Session,
  signInByKey,
  signInByLink,
} from '../../application/accounts/browser-sessions.ts';
import { type Accepting, acceptInvitation, readInvitation } from '../../application/people/accept-invitation.ts';
import { nameOneself, switchAccount } from '../../application/people/oneself.ts';
import { cellOf, parseApiKey } from '../../domain/accounts/api-key.ts';
import {
  DomainError,
  describeWrongType,
  type ErrorCode,
  makeViolation,
  refuseViolations,
  validationFailed,
} from '../../domain/errors.ts';
import { clientAddress } from '../connection/client-address.ts';
import { noCookie, noStrayCookies, readProof, readTokens, requireProof, sessionCookie } from '../cookies/cookie.ts';
import { refuseOtherPages, requireOwnPage } from '../cookies/cross-site.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import { WrongKeys } from '../fairness/wrong-keys.ts';
import { makeSessionFinder } from '../hooks/authenticate.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { forbidCaching } from '../hooks/security-headers.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { makeErrorHandler } from '../operation/errors.ts';
import { addOpenId } from './openid.ts';
import {
  invitationToRead,
  newSession,
  presentNewSession,
  presentOffer,
  presentSession,
  type SignIn,
} from './session.wire.ts';

const PATH = '/session';
/** Per address. A person who mistypes a key does not notice the limit. */
const WRONG_SIGN_INS_PER_MINUTE = 10;

/** `limiter` counts by address; undefined: no limit. */
export function addSessions(scope: FastifyInstance, deps: IngressDeps, limiter: RateLimiter | undefined): void {
  forbidCaching(scope);
  scope.setErrorHandler(makeErrorHandler({ databaseTrouble: deps.databaseTrouble, inversePathOf: () => undefined }));
  if (limiter !== undefined) limitRate(scope, limiter, (request) => `session ${clientAddress(request)}`);
  const find = makeSessionFinder(deps);
  const tries = new Tries(deps);
  const signIn = makeSignIn(deps, tries, find);

  scope.post(PATH, async (request, reply) => {
    refuseOtherPages(request, 'Signing in is possible only from the page of this service');
    const holder = `address ${clientAddress(request)}`;
    const { value, violations } = await deps.bodies.read(request, reply, newSession, holder);
    refuseViolations(violations);
    const session = await signIn(request, reply, value!);
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

  /** Reads the offer of an invitation; its token is in the body, where no log has it. */
  scope.post(`${PATH}/invitation`, async (request, reply) => {
    refuseOtherPages(request, 'An invitation can be read only on the page of this service');
    const holder = `address ${clientAddress(request)}`;
    const { value, violations } = await deps.bodies.read(request, reply, invitationToRead, holder);
    refuseViolations(violations);
    const { invitation } = value!;
    const offer = await tries.slowed(request, 'invitation', invitation, () => readInvitation(deps.db, invitation));
    return presentOffer(offer);
  });

  addOpenId(scope, deps);

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

/** Runs attempts with secrets that somebody may guess. Throws TOO_MANY_WRONG_KEYS without a look-up. */
class Tries {
  readonly #deps: IngressDeps;
  readonly #wrong: WrongKeys;

  constructor(deps: IngressDeps) {
    this.#deps = deps;
    this.#wrong =
      deps.wrongSignIns ?? new WrongKeys({ limit: WRONG_SIGN_INS_PER_MINUTE, now: () => performance.now() });
  }

  async slowed<T>(request: FastifyRequest, by: SignIn['by'], text: string, attempt: () => Promise<T>): Promise<T> {
    const { metrics } = this.#deps;
    const address = clientAddress(request);
    const retryAfterSeconds = this.#wrong.waitSeconds(address, text);
    if (retryAfterSeconds !== undefined) {
      metrics?.signInTried(by, 'slowed');
      const message = `Too many failed sign-ins from your address; check the key and retry in ${retryAfterSeconds} s.`;
      throw new DomainError('TOO_MANY_WRONG_KEYS', message, { retryAfterSeconds });
    }
    try {
      const result = await attempt();
      if (by === 'key') this.#wrong.noteRight(parseApiKey(text)!);
      return result;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (WRONG_SECRET.has(error.code)) {
        this.#wrong.noteWrong(address, text);
        request.log.warn({ by, address }, 'session.refused');
        metrics?.signInTried(by, 'refused');
      }
      throw error;
    }
  }
}

const WRONG_SECRET: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'LINK_ENDED']);

type SignInOf<By extends SignIn['by']> = Extract<SignIn, { readonly by: By }>;

/** Throws UNAUTHENTICATED, LINK_ENDED, and what the use cases throw. */
function makeSignIn(deps: IngressDeps, tries: Tries, find: ReturnType<typeof makeSessionFinder>) {
  const { db } = deps;
  /** The present session, which acts: the request must come from its page. undefined: nobody is signed in. */
  const present = async (request: FastifyRequest, reply: FastifyReply): Promise<Session | undefined> => {
    const proof = requireProof(request);
    if (proof === undefined) return undefined;
    requireOwnPage(request);
    return find(request, reply, proof);
  };
  const requirePresent = async (request: FastifyRequest, reply: FastifyReply): Promise<Session> => {
    const session = await present(request, reply);
    if (session !== undefined) return session;
    throw new DomainError('SESSION_ENDED', 'Your session has ended; sign in again.');
  };
  const accept = async (request: FastifyRequest, reply: FastifyReply, { text, named }: SignInOf<'invitation'>) => {
    const session = named === undefined ? await present(request, reply) : undefined;
    // A session that somebody else may have begun does not act for the person elsewhere.
    const personId = session === undefined || session.isBound ? null : session.personId;
    if (named === undefined && personId === null) {
      throw validationFailed([makeViolation(['name'], describeWrongType('your name', undefined))]);
    }
    const who: Accepting = named === undefined ? { kind: 'known', personId: personId! } : { kind: 'new', ...named };
    return acceptInvitation(db, text, who, browserOf(request));
  };
  const begin = async (request: FastifyRequest, reply: FastifyReply, sent: SignIn): Promise<NewSession> => {
    switch (sent.by) {
      case 'key':
        return signInByKey(db, sent.text, browserOf(request));
      case 'link':
        return signInByLink(db, sent.text, browserOf(request));
      case 'invitation':
        return accept(request, reply, sent);
      case 'account':
        return switchAccount(db, await requirePresent(request, reply), sent.accountId, browserOf(request));
      case 'name':
        return nameOneself(db, await requirePresent(request, reply), sent.named, browserOf(request));
    }
  };
  return async (request: FastifyRequest, reply: FastifyReply, sent: SignIn): Promise<NewSession> => {
    const { by } = sent;
    if (by === 'key') refuseOtherCell(sent.text, deps.settings.cell);
    const attempt = () => begin(request, reply, sent);
    const session = await ('text' in sent ? tries.slowed(request, by, sent.text, attempt) : attempt());
    request.log.info({ by, accountId: session.accountId, keyId: session.keyId }, 'session.started');
    deps.metrics?.signInTried(by, 'signed-in');
    return session;
  };
}

function browserOf(request: FastifyRequest): string | undefined {
  return request.headers['user-agent'];
}
