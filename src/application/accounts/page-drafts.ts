/** Drafts of the page: what a person typed and has not sent yet. */
import * as drafts from '../../db/accounts/page-drafts.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { ownersOf, type PageDraft } from '../../domain/accounts/page-draft.ts';
import { notFound } from '../../domain/errors.ts';

export function listDrafts(db: Db, accountId: number, subject: string): Promise<readonly PageDraft[]> {
  return drafts.listDrafts(db, accountId, subject);
}

/** null: removed. Throws NOT_FOUND for a subject in an objective that is not there. */
export async function putDraft(
  db: Db,
  accountId: number,
  { subject, writer, text }: Omit<PageDraft, 'updatedAt' | 'text'> & { readonly text: string | null },
): Promise<PageDraft | null> {
  if (text === null) {
    await drafts.removeDraft(db, accountId, subject, writer);
    return null;
  }
  const stored = await drafts.storeDraft(db, accountId, { subject, writer, text });
  if (stored === undefined) throw notFound('objective', ownersOf(subject).objectiveId!);
  await drafts.removeSurplusDrafts(db, accountId);
  return stored;
}

/** One pass of the schedule. */
export async function purgeDrafts(db: Db): Promise<{ readonly purged: number }> {
  return { purged: await drafts.purgeEndedDrafts(db) };
}
