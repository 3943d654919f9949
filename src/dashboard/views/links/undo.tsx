import { useState } from 'preact/hooks';
import { BacksolveError } from '../../../../clients/typescript/src/index.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useSending } from '../../parts/sending.ts';
import { service } from '../../shell/service.ts';
import type { Run } from '../objective/state/history.ts';

interface UndoProps {
  readonly run: Run;
  readonly correctionId: number;
  readonly name: string;
  /** Description of the correction. */
  readonly what: string;
}

/** The button beside a correction that can be taken back. */
export function Undo(props: UndoProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={`Undo: ${props.name}, ${props.what}`}
        onClick={() => setOpen(true)}
      >
        Undo…
      </button>
      {isOpen && <UndoDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Asks before a correction is taken back, and once more where that changes the verdict of an objective that has ended. */
function UndoDialog({ run, correctionId, name, what, onClose }: UndoProps & { onClose(): void }) {
  const [reopens, setReopens] = useState(false);
  const sending = useSending();
  const { error } = sending;
  const needsReopening = error instanceof BacksolveError && error.code === 'REOPENING_NEEDED';
  const undo = () =>
    sending.send(async () => {
      const { modelId, projectId, trialId } = run.head.value;
      const path = { model_id: modelId, project_id: projectId, trial_id: trialId, correction_id: correctionId };
      await service.call('undoCorrection', { path, body: { reopen: reopens } });
      onClose();
      run.refresh();
    });
  return (
    <FormDialog title="Undo this change?" action="Undo" sending={sending} onSubmit={undo} onClose={onClose}>
      <p>
        {name}: {what}
      </p>
      <p>The result from before counts again. Both changes stay in the log.</p>
      {(needsReopening || reopens) && (
        <label class="choice">
          <input
            type="checkbox"
            checked={reopens}
            onChange={({ currentTarget }) => setReopens(currentTarget.checked)}
          />
          <span>
            Judge the ended objective again: it gets a new verdict, and continues if no run meets its targets.
          </span>
        </label>
      )}
    </FormDialog>
  );
}
