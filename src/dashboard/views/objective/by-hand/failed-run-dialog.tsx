import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../parts/dialog.tsx';
import { Fault } from '../../../parts/fault.tsx';

interface FailedRunDialogProps {
  readonly iteration: number;
  /** Rejects with what is wrong. */
  onReport(reason: string | null): Promise<void>;
  onClose(): void;
}

export function FailedRunDialog({ iteration, onReport, onClose }: FailedRunDialogProps) {
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const id = useId();
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onReport(reason.trim() === '' ? null : reason.trim());
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`The run of iteration ${iteration} failed`} onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <p>It has no output. The search goes on, and keeps away from inputs like this one.</p>
        <label for={id}>What happened (optional)</label>
        <textarea
          id={id}
          rows={3}
          maxLength={1000}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Fault error={error} />
        <p class="dialog-buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Report the failed run
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
