/** Offers the draft of a new problem that another browser, or this one earlier, has left on the service. */
import { useEffect, useState } from 'preact/hooks';
import { Age } from '../../parts/age.tsx';
import { Fault } from '../../parts/fault.tsx';
import { useSending } from '../../parts/sending.ts';
import { NEW_PROBLEM } from '../../shell/drafts.ts';
import { readShared, removeShared, type StoredDraft, setAside, writer } from '../../shell/shared-drafts.ts';
import { type Draft, isUntouched, parseDraft } from './draft.ts';
import { offeredDraft } from './offered-draft.ts';
import { draft, takeDraft } from './store.ts';

export function DraftOffer() {
  const [stored, setStored] = useState<readonly StoredDraft[]>([]);
  const sending = useSending();
  useEffect(() => {
    const stop = new AbortController();
    // Without an answer there is nothing to offer; what is typed here is safe in this browser.
    readShared(NEW_PROBLEM, stop.signal).then(setStored, () => undefined);
    return () => stop.abort();
  }, []);
  const offered = offeredDraft(stored, draft.value, writer);
  if (offered === undefined) return null;
  const other = parseDraft(offered.text)!;
  const leave = () => setStored(stored.filter((one) => one !== offered));
  const take = async (taken: Draft) => {
    if (!isUntouched(draft.value)) await setAside(NEW_PROBLEM, JSON.stringify(draft.value));
    takeDraft(taken);
    leave();
  };
  const remove = async () => {
    await removeShared(offered);
    leave();
  };
  return (
    <div class="notice" role="status">
      There is {isUntouched(draft.value) ? 'a' : 'another'} draft, “<bdi>{other.name || 'without a name'}</bdi>”, last
      changed <Age time={offered.updatedAt} />
      {offered.writer === writer ? '.' : ' in another browser.'}{' '}
      <button type="button" disabled={sending.isBusy} onClick={() => void sending.send(() => take(other))}>
        Continue with it
      </button>{' '}
      <button type="button" class="quiet" disabled={sending.isBusy} onClick={() => void sending.send(remove)}>
        Delete it
      </button>
      <Fault error={sending.error} />
    </div>
  );
}
