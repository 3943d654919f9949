import { useId, useState } from 'preact/hooks';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { readNumber } from '../../../parts/read-number.ts';
import { useSending } from '../../../parts/sending.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../history.ts';

interface ParallelDialogProps {
  readonly run: Run;
  onClose(): void;
}

/** Sets how many runs may be open at the same time. */
export function ParallelDialog({ run, onClose }: ParallelDialogProps) {
  const { parallelism, holdBack } = run.head.value;
  const [text, setText] = useState(String(parallelism));
  const [holds, setHolds] = useState(holdBack);
  const [hasTried, setTried] = useState(false);
  const sending = useSending();
  const id = useId();
  const { value, fault } = readNumber(text);
  const save = () => {
    setTried(true);
    if (value === undefined) return;
    void sending.send(async () => {
      const body = { parallelism: value, holdBack: holds };
      await service.call('updateObjectiveFlat', { path: { objective_id: run.objectiveId }, body });
      onClose();
      run.refresh();
    });
  };
  return (
    <FormDialog
      title="Parallel runs"
      action="Save"
      sending={sending}
      error={withoutShown(sending.error, (pointer) => pointer === '/parallelism')}
      onSubmit={save}
      onClose={onClose}
    >
      <NumberField
        id={id}
        name="Parallel runs"
        text={text}
        fault={(hasTried ? fault : undefined) ?? faultsByPointer(sending.error).get('/parallelism')}
        onText={setText}
      />
      <p class="hint">
        With 1 the search needs the fewest runs. A higher number saves time if you can do several runs in parallel.
        Lowering the number does not close open runs.
      </p>
      <label class="choice">
        <input type="checkbox" checked={holds} onChange={({ currentTarget }) => setHolds(currentTarget.checked)} />
        <span>Hold back: suggest no further input while an open run is likely to meet all targets</span>
      </label>
    </FormDialog>
  );
}
