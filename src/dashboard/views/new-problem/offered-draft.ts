/** Chooses the draft on the service that is worth offering beside the one in the form. Needs no browser. */
import { type Draft, isUntouched, parseDraft } from './draft.ts';

interface Stored {
  readonly writer: string;
  readonly text: string;
  readonly updatedAt: string;
}

/**
 * The newest of another problem, or a newer state of this one; undefined: none.
 *
 * @param stored  newest first
 */
export function offeredDraft<One extends Stored>(stored: readonly One[], here: Draft, writer: string): One | undefined {
  const own = stored.find((one) => one.writer === writer);
  return stored.find((one) => {
    const other = parseDraft(one.text);
    if (other === undefined || isUntouched(other) || one.text === JSON.stringify(here)) return false;
    if (isUntouched(here)) return true;
    return one !== own && (other.id !== here.id || own === undefined || one.updatedAt > own.updatedAt);
  });
}
