/** Takes a correction back, by another one, so that the log tells both. */
import type { Db, Trx } from '../../db/connection/transaction.ts';
import { findCorrection } from '../../db/corrections/corrections.ts';
import { type Correction, LONGEST_REASON } from '../../domain/corrections/correction.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { getTrial } from '../data/manage-trials.ts';
import type { TrialPath } from '../paths.ts';
import { type CorrectionContext, correctCase, correctInverse } from './correct-run.ts';

/**
 * Restores the result from before a correction, and returns the correction that did. Copies and repeats follow, as with every correction.
 *
 * Throws NOT_FOUND, NOTHING_TO_CORRECT for a note, CORRECTION_SUPERSEDED, REOPENING_NEEDED, LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function undoCorrection(
  db: Db | Trx,
  context: CorrectionContext,
  path: TrialPath & { readonly correctionId: number },
  mayReopen: boolean,
): Promise<Correction> {
  const { accountId } = context;
  await getTrial(db as Db, accountId, path);
  const undone = await findCorrection(db, accountId, path.trialId, path.correctionId);
  if (undone === undefined) throw notFound('correction', path.correctionId);
  if (undone.isNote) {
    const message = `Correction ${undone.id} is a note, which changed no result. Write another note instead.`;
    throw new DomainError('NOTHING_TO_CORRECT', message);
  }
  const sent = {
    change: { kind: 'restored', result: undone.before },
    reason: shortened(`Undo of: ${undone.reason}`),
    undoes: undone,
    mayReopen,
  } as const;
  const { target } = undone;
  const { correction } =
    target.kind === 'case'
      ? await correctCase(db, context, { ...path, number: target.caseNumber }, sent)
      : await correctInverse(db, context, target, sent);
  // A logged correction has changed something, so that its undo does as well.
  return correction!;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_REASON ? text : `${characters.slice(0, LONGEST_REASON - 1).join('')}…`;
}
