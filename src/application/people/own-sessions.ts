/** Sessions of the page, listed and ended: one's own, or, with the scope admin, those of the account. */
import * as sessions from '../../db/accounts/browser-sessions.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { notFound } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { SessionRecord } from '../../domain/people/people.ts';
import type { Principal } from '../accounts/authenticate.ts';

function visibleTo({ scopes, personId, keyId }: Principal): sessions.SessionsOf {
  if (scopes.includes('admin')) return { kind: 'account' };
  return personId === null ? { kind: 'key', keyId } : { kind: 'person', personId };
}

export function listSessions(db: Db, principal: Principal, page: PageRequest): Promise<Page<SessionRecord>> {
  return sessions.listSessions(db, principal.accountId, visibleTo(principal), page);
}

/** Throws NOT_FOUND, also for a session that the asker may not see. */
export async function endSessionOf(db: Db, principal: Principal, id: number): Promise<void> {
  if (!(await sessions.removeSessionOf(db, principal.accountId, visibleTo(principal), id)))
    throw notFound('session', id);
}
