import { useState } from 'preact/hooks';
import type { Run } from '../state/history.ts';
import { NumberDialog } from './number-dialog.tsx';

interface ParallelDialogProps {
  readonly run: Run;
  onClose(): void;
}

/** Sets how many runs may be open at the same time. */
export function ParallelDialog({ run, onClose }: ParallelDialogProps) {
  const { parallelism, holdBack } = run.head.value;
  const [holds, setHolds] = useState(holdBack);
  return (
    <NumberDialog
      run={run}
      title="Parallel runs"
      action="Save"
      field="parallelism"
      name="Parallel runs"
      proposed={parallelism}
      others={{ holdBack: holds }}
      onClose={onClose}
    >
      <p class="hint">
        With 1 the search needs the fewest runs. A higher number saves time if you can do several runs in parallel.
        Lowering the number does not close open runs.
      </p>
      <label class="choice">
        <input type="checkbox" checked={holds} onChange={({ currentTarget }) => setHolds(currentTarget.checked)} />
        <span>Hold back: suggest no further input while an open run is likely to meet all targets</span>
      </label>
    </NumberDialog>
  );
}
