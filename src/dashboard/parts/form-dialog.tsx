import type { ComponentChildren, Ref } from 'preact';
import { Dialog } from './dialog.tsx';
import { Fault } from './fault.tsx';
import type { Sending } from './sending.ts';

interface FormDialogProps {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** Whether there is enough to send: it is unless stated. */
  readonly isReady?: boolean;
  readonly sending: Sending;
  /** What is said above the buttons: why the last request failed, unless stated. */
  readonly error?: unknown;
  readonly formRef?: Ref<HTMLFormElement>;
  /** Closes the dialog when it worked. */
  onSubmit(): unknown;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** A dialog that sends something, with the buttons for that at its end. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isReady = true, sending, formRef, onSubmit, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={formRef ?? null}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <Fault error={'error' in props ? props.error : sending.error} />
        <p class="dialog-buttons">
          <button type="submit" class="primary" disabled={sending.isBusy || !isReady}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
