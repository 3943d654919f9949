import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../parts/dialog.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { readNumber } from '../../../parts/read-number.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../history.ts';

interface ParallelDialogProps {
  readonly run: Run;
  onClose(): void;
}

/** How many inputs may be open at once. */
export function ParallelDialog({ run, onClose }: ParallelDialogProps) {
  const { parallelism, holdBack } = run.head.value;
  const [text, setText] = useState(String(parallelism));
  const [holds, setHolds] = useState(holdBack);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const id = useId();
  const send = async (event: Event) => {
    event.preventDefault();
    const read = readNumber(text);
    setFault(read.fault);
    setError(undefined);
    if (read.value === undefined) return;
    setBusy(true);
    try {
      const body = { parallelism: read.value, holdBack: holds };
      await service.call('updateObjectiveFlat', { path: { objective_id: run.objectiveId }, body });
      onClose();
      run.refresh();
    } catch (failure) {
      setError(failure);
      setFault(faultsByPointer(failure).get('/parallelism'));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Several inputs at once" onClose={onClose}>
      <form noValidate onSubmit={(event) => void send(event)}>
        <NumberField id={id} name="Inputs open at once" text={text} fault={fault} onText={setText} />
        <p class="hint">
          With 1 the search needs the fewest runs. More save time where runs can be made side by side. Inputs that are
          open beyond a lower number stay open.
        </p>
        <label class="choice">
          <input type="checkbox" checked={holds} onChange={({ currentTarget }) => setHolds(currentTarget.checked)} />
          <span>Hold back: open no further input while one that is open is likely to meet all targets</span>
        </label>
        <Fault error={withoutShown(error, (pointer) => pointer === '/parallelism')} />
        <p class="dialog-buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Save
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
