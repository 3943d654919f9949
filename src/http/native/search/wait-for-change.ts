import type { ChangeWaiters } from '../../../application/search/change-waiters.ts';
import type { Call } from '../../operation/operation.ts';
import { applyWait } from '../../wire/prefer.ts';

/**
 * For a request that has an answer and prefers to wait for a new one: the result of `wait`, and the header that confirms the wait.
 * Undefined where the request does not wait: it has no If-None-Match, does not prefer to, or too many of its account do. Throws if the
 * key was revoked meanwhile.
 */
export async function waitForChange<Stamp>(
  {
    deps,
    accountId,
    ifNoneMatch,
    prefer,
    requireAdmission,
  }: Pick<Call<unknown, unknown>, 'deps' | 'accountId' | 'ifNoneMatch' | 'prefer' | 'requireAdmission'>,
  wait: (waiters: ChangeWaiters, waitMs: number) => Promise<Stamp | undefined>,
): Promise<{ readonly stamp: Stamp | undefined; readonly headers: Readonly<Record<string, string>> }> {
  const { changeWaiters, settings } = deps;
  const { waitMs, applied } = applyWait(prefer, { defaultMs: 0, maximumMs: settings.suggestWaitMaximumMs });
  const canWait =
    ifNoneMatch !== undefined && waitMs > 0 && changeWaiters !== undefined && !changeWaiters.isFull(accountId);
  if (!canWait || applied === undefined) return { stamp: undefined, headers: {} };
  const stamp = await wait(changeWaiters, waitMs);
  await requireAdmission();
  return { stamp, headers: { 'preference-applied': applied } };
}
