import { useId, useState } from 'preact/hooks';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { readNumber } from '../../../parts/read-number.ts';
import { useSending } from '../../../parts/sending.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import type { Head } from '../columns.ts';
import type { Run } from '../history.ts';

/** Runs that are proposed beside those made. */
const MORE_RUNS = 20;

/** Lets an objective run on that has ended by evidence, at its time or with its last run. */
export function GoOnDialog({ run, onClose }: { readonly run: Run; onClose(): void }) {
  const head = run.head.value;
  const [text, setText] = useState(String(proposed(head)));
  const [hasTried, setTried] = useState(false);
  const sending = useSending();
  const id = useId();
  const { value, fault } = readNumber(text);
  const send = () => {
    setTried(true);
    if (value === undefined) return;
    void sending.send(async () => {
      const body = { maximumAttempts: value };
      await service.call('updateObjectiveFlat', { path: { objective_id: run.objectiveId }, body });
      onClose();
      run.refresh();
    });
  };
  return (
    <FormDialog
      title="Go on"
      action="Go on"
      sending={sending}
      error={withoutShown(sending.error, (pointer) => pointer === '/maximumAttempts')}
      onSubmit={send}
      onClose={onClose}
    >
      <NumberField
        id={id}
        name="Suggested runs at most"
        text={text}
        fault={(hasTried ? fault : undefined) ?? faultsByPointer(sending.error).get('/maximumAttempts')}
        onText={setText}
      />
      <p class="hint">
        So far {head.attemptCount}. The search goes on from all its runs, until the targets are met or these runs are
        made; it does not end by evidence again.
      </p>
    </FormDialog>
  );
}

function proposed({ attemptCount, maximumAttempts }: Pick<Head, 'attemptCount' | 'maximumAttempts'>): number {
  return Math.max(maximumAttempts, attemptCount + MORE_RUNS);
}
