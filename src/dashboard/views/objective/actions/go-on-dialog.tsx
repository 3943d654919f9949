import type { Run } from '../state/history.ts';
import { NumberDialog } from './number-dialog.tsx';

/** Runs that are proposed beside those made. */
const MORE_RUNS = 20;

/** Lets an objective run on that has ended by evidence, at its time or with its last run. */
export function GoOnDialog({ run, onClose }: { readonly run: Run; onClose(): void }) {
  const { attemptCount, maximumAttempts } = run.head.value;
  return (
    <NumberDialog
      run={run}
      title="Go on"
      action="Go on"
      field="maximumAttempts"
      name="Suggested runs at most"
      proposed={Math.max(maximumAttempts, attemptCount + MORE_RUNS)}
      onClose={onClose}
    >
      <p class="hint">
        So far {attemptCount}. The search goes on from all its runs, until the targets are met or these runs are made;
        it does not end by evidence again.
      </p>
    </NumberDialog>
  );
}
