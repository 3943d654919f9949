/** Identifies the owner of a request's key before its body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate, type Principal } from '../../application/authenticate.ts';
import { SharedLookups } from '../../application/shared-lookups.ts';
import { DomainError } from '../../domain/errors.ts';
import { clientAddress } from '../client-address.ts';
import type { HttpDeps } from '../deps.ts';

const principals = new WeakMap<FastifyRequest, Principal>();

/** The owner of the request's key; only for routes behind `requireKey`. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = principals.get(request);
  if (principal === undefined) throw new Error(`the route ${request.routeOptions.url} lacks authentication`);
  return principal;
}

export function requireKey(scope: FastifyInstance, deps: HttpDeps): void {
  const lookups = new SharedLookups<Principal>();
  scope.addHook('onRequest', async (request) => {
    const key = readKey(request);
    const principal = await lookUp(deps, lookups, request, key);
    principals.set(request, principal);
    deps.noteKeyUse(principal.keyId);
  });
}

/** Throws UNAUTHENTICATED, or TOO_MANY_WRONG_KEYS without a look-up. A request without a key does not count as a guess. */
async function lookUp(
  { db, wrongKeys }: HttpDeps,
  lookups: SharedLookups<Principal>,
  request: FastifyRequest,
  keyText?: string,
): Promise<Principal> {
  const find = () => lookups.find(keyText ?? '', () => authenticate(db, keyText));
  if (wrongKeys === undefined || keyText === undefined) return find();
  const address = clientAddress(request);
  const retryAfterSeconds = wrongKeys.waitSeconds(address, keyText);
  if (retryAfterSeconds !== undefined) {
    const message = `Too many wrong API keys came from your address; check the key and retry in ${retryAfterSeconds} s.`;
    throw new DomainError('TOO_MANY_WRONG_KEYS', message, { retryAfterSeconds });
  }
  try {
    const principal = await find();
    wrongKeys.noteRight(principal);
    return principal;
  } catch (error) {
    const isWrong = error instanceof DomainError && error.code === 'UNAUTHENTICATED';
    if (isWrong && wrongKeys.noteWrong(address, keyText)) {
      request.log.warn({ address, limit: wrongKeys.limit }, 'authentication.slowed');
    }
    throw error;
  }
}

/** The key in Authorization: Bearer, or in X-API-Key. */
export function readKey(request: FastifyRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  if (bearer !== null) return bearer[1];
  const header = request.headers['x-api-key'];
  return typeof header === 'string' ? header.trim() : undefined;
}
