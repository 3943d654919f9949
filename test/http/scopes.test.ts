import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import type { Operation } from '../../src/http/operation/operation.ts';
import { SDK_OPERATIONS } from '../../src/http/sdk/routes.ts';
import { type NativeService, openNativeService } from './native-service.ts';

const SCOPES = ['read', 'write', 'evaluate', 'admin'] as const;

const routes = [
  ...NATIVE_OPERATIONS.map((operation) => ({ prefix: '/v1', operation })),
  ...SDK_OPERATIONS.map((operation) => ({ prefix: '/api', operation })),
].map(({ prefix, operation }) => ({
  name: `${operation.method} ${prefix}${operation.path}`,
  url: `${prefix}${operation.path.replace(/\{\w+\}/g, '999999')}`,
  operation,
}));

/**
 * Keys, webhooks, and who is a member need admin, because they give others access to data; everything else is reading or writing.
 * Evaluations are also open to keys that may do nothing else, and everybody may ask and decide about oneself.
 */
function scopesOf({ method, path }: Operation): readonly (typeof SCOPES)[number][] {
  if (/^\/(webhooks|keys|invitations)/.test(path)) return ['admin'];
  if (path.startsWith('/members')) return [method === 'GET' ? 'read' : 'admin'];
  if (/^\/(me|sessions)\b/.test(path)) return SCOPES;
  if (path.startsWith('/evaluations')) return method === 'GET' ? ['read', 'evaluate', 'write'] : ['evaluate', 'write'];
  return [method === 'GET' ? 'read' : 'write'];
}

let service: NativeService;
let keys: Record<string, string>;
beforeAll(async () => {
  service = await openNativeService();
  const pairs = SCOPES.map(async (scope) => [scope, await service.makeKey('test', [scope])] as const);
  keys = Object.fromEntries(await Promise.all(pairs));
});
afterAll(() => service.close());

describe('a key of one scope', () => {
  it.each(routes)('A key of one scope is admitted or told what it lacks for $name', async ({ url, operation }) => {
    const needed = scopesOf(operation);
    for (const scope of SCOPES) {
      const answer = await service.sendAs(keys[scope]!)(operation.method, url, operation.body && {});
      if (needed.includes(scope)) {
        expect(answer.status).not.toBe(401);
        // The key of an account is nobody who could have a name or a way in.
        const isForPeople = operation.tag === 'Oneself' && answer.text.includes('not of a person');
        expect(answer.status === 403, answer.text).toBe(isForPeople);
      } else {
        expect(answer.status).toBe(403);
        expect(answer.body).toMatchObject({
          type: 'urn:backsolve:problem:forbidden',
          detail: `This request needs a key with the scope ${needed.join(' or ')}.`,
        });
      }
    }
  });
});
