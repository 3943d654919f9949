import { useId, useState } from 'preact/hooks';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { useSending } from '../../../parts/sending.ts';

interface FailedRunDialogProps {
  readonly iteration: number;
  /** Rejects with the error. */
  onReport(reason: string | null): Promise<void>;
  onClose(): void;
}

export function FailedRunDialog({ iteration, onReport, onClose }: FailedRunDialogProps) {
  const [reason, setReason] = useState('');
  const sending = useSending();
  const id = useId();
  return (
    <FormDialog
      title={`Run ${iteration} failed`}
      action="Report the failed run"
      sending={sending}
      onSubmit={() => sending.send(() => onReport(reason.trim() === '' ? null : reason.trim()))}
      onClose={onClose}
    >
      <p>It has no output. The search continues and avoids inputs like this one.</p>
      <label for={id}>What happened (optional)</label>
      <textarea
        id={id}
        rows={3}
        maxLength={1000}
        value={reason}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  );
}
