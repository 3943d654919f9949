import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { Fault } from './fault.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** Closes the dialog when it worked; rejects with what is wrong. */
  onConfirm(): Promise<void>;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ title, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Fault error={error} />
      <p class="dialog-buttons">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void confirm()}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
