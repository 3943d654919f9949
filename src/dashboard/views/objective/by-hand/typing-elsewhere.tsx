/** Tells that outputs of a run are being typed in another browser, and shows them on request. */
import { useRef, useState } from 'preact/hooks';
import { outputNames } from '../../../../presentation/values.ts';
import { Age } from '../../../parts/age.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { useSending } from '../../../parts/sending.ts';
import { readShared, writer } from '../../../shell/shared-drafts.ts';
import type { Run } from '../state/history.ts';
import { parseTexts, type TypedOutputs } from './typed.ts';

interface TypingElsewhereProps {
  readonly run: Run;
  readonly typed: TypedOutputs;
  readonly inverseId: number;
}

export function TypingElsewhere({ run, typed, inverseId }: TypingElsewhereProps) {
  const names = outputNames(run.head.value);
  const hasTyped = useRef(false);
  const [shown, setShown] = useState<readonly string[] | undefined>(undefined);
  const sending = useSending();
  if (typed.of(inverseId).some((text) => text !== '')) hasTyped.current = true;
  // Own texts that this browser has lost are offered as well.
  const isOffered = (by: string) => (by === writer ? !hasTyped.current : true);
  const [newest] = run.head.value.typing
    .filter((one) => one.inverseId === inverseId && isOffered(one.writer))
    .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  if (newest === undefined) return null;
  const show = async () => {
    const subject = `outputs/${run.objectiveId}/${inverseId}`;
    const drafts = await readShared(subject, new AbortController().signal);
    const found = drafts.find((draft) => draft.writer === newest.writer);
    setShown(parseTexts(found?.text, names.length) ?? []);
  };
  return (
    <div class="notice" role="status">
      {newest.writer === writer
        ? 'You typed outputs for this input earlier'
        : 'Somebody else is typing outputs for this input'}{' '}
      (<Age time={newest.updatedAt} />
      ).{' '}
      {shown === undefined ? (
        <button type="button" disabled={sending.isBusy} onClick={() => void sending.send(show)}>
          Show them
        </button>
      ) : (
        <>
          {shown.length === 0 && 'They are gone again.'}
          {names.flatMap((name, j) => (shown[j] ? [`${name}: ${shown[j]}`] : [])).join(', ')}{' '}
          {shown.length > 0 && (
            <button
              type="button"
              onClick={() => {
                typed.set(inverseId, shown);
                setShown(undefined);
              }}
            >
              Take them over
            </button>
          )}
        </>
      )}
      <Fault error={sending.error} />
    </div>
  );
}
