/**
 * Preloaded with `node --import`, removes safeguards that no setting turns off: the guard against overload, the check of scopes and the
 * security headers. For safeguards.ts.
 */
import { registerHooks } from 'node:module';

const HOOKS = new URL('../../src/http/hooks/', import.meta.url).href;
const EMPTY: Readonly<Record<string, string>> = {
  [`${HOOKS}backpressure.ts`]:
    'export async function makeLoadGuard() { return { isRefusing: () => false, install() {} }; }',
  [`${HOOKS}scopes.ts`]: 'export function requireScope() {} export function scopeOfMethod() {}',
  [`${HOOKS}security-headers.ts`]: 'export function addCommonHeaders() {} export function addApiHeaders() {}',
};

registerHooks({
  load(url, context, nextLoad) {
    const source = EMPTY[url];
    return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true };
  },
});
