import type { ComponentChildren } from 'preact';
import { FormDialog } from './form-dialog.tsx';
import { useSending } from './sending.ts';

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
export function ConfirmDialog({ onConfirm, ...props }: ConfirmDialogProps) {
  const sending = useSending();
  return <FormDialog {...props} sending={sending} onSubmit={() => sending.send(onConfirm)} />;
}
