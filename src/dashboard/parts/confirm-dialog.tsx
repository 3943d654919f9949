import type { ComponentChildren } from 'preact';
import { FormDialog } from './form-dialog.tsx';
import { useSending } from './sending.ts';

interface ConfirmDialogProps {
  readonly title: string;
  /** The label of the button. */
  readonly action: string;
  /** Closes the dialog on success; rejects with the error. */
  onConfirm(): Promise<void>;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog({ onConfirm, ...props }: ConfirmDialogProps) {
  const sending = useSending();
  return <FormDialog {...props} sending={sending} onSubmit={() => sending.send(onConfirm)} />;
}
