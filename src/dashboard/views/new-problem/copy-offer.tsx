/** Fills the form with the problem of an objective, after asking if a draft would be lost. */
import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../../parts/fault.tsx';
import { navigate } from '../../shell/router.ts';
import { service } from '../../shell/service.ts';
import { type Copied, copied } from './copied.ts';
import { isUntouched } from './draft.ts';
import { draft, newId, takeDraft } from './store.ts';

/** A step beyond every run: the first and the last are enough. */
const FEWEST_RUNS = { every: 1_000_000 };

async function read(objectiveId: number, signal: AbortSignal): Promise<Copied> {
  const path = { objective_id: objectiveId };
  const { body: history } = await service.call('getHistory', { path, query: FEWEST_RUNS, signal });
  const { modelId, projectId } = history;
  const ofProject = { model_id: modelId, project_id: projectId };
  const { body: project } = await service.call('getProject', { path: ofProject, signal });
  return copied(newId(), history, project);
}

interface CopyOfferProps {
  readonly objectiveId: number;
  /** Deletes what was created from the draft so far. */
  giveUp(): Promise<void>;
}

export function CopyOffer({ objectiveId, giveUp }: CopyOfferProps) {
  const [found, setFound] = useState<Copied | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const take = ({ draft: copy, missing: lacking }: Copied) => {
    takeDraft(copy);
    setFound(undefined);
    setMissing(lacking);
    navigate('/page/new', { replace: true });
  };
  useEffect(() => {
    if (!(objectiveId > 0)) return undefined;
    const stop = new AbortController();
    setError(undefined);
    read(objectiveId, stop.signal)
      .then((copy) => (isUntouched(draft.value) ? take(copy) : setFound(copy)))
      .catch((failure: unknown) => stop.signal.aborted || setError(failure));
    return () => stop.abort();
  }, [objectiveId]);
  const replace = async (copy: Copied) => {
    try {
      await giveUp();
      take(copy);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <Fault error={error} />
      {found !== undefined && (
        <p role="alertdialog" aria-label="Replace the draft" class="notice">
          There is a draft of another problem, “<bdi>{draft.value.name || 'without a name'}</bdi>”. Delete it and start
          with the copy?{' '}
          <button type="button" onClick={() => void replace(found)}>
            Delete the draft and copy
          </button>{' '}
          <button type="button" onClick={() => navigate('/page/new', { replace: true })}>
            Keep the draft
          </button>
        </p>
      )}
      {missing.length > 0 && (
        <p class="notice warning" role="status">
          The copy lacks what this form cannot state: {missing.join(', ')}.
        </p>
      )}
    </>
  );
}
