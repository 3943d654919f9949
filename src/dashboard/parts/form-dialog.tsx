import type { ComponentChildren, Ref } from 'preact';
import { Dialog } from './dialog.tsx';
import { Fault } from './fault.tsx';
import type { Sending } from './sending.ts';

interface FormDialogProps {
  readonly title: string;
  /** The label of the button. */
  readonly action: string;
  /** Whether the form can be sent; default: true. */
  readonly isReady?: boolean;
  readonly sending: Sending;
  /** The error above the buttons; default: that of the last request. */
  readonly error?: unknown;
  readonly formRef?: Ref<HTMLFormElement>;
  /** Closes the dialog on success. */
  onSubmit(): unknown;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** A dialog with a form, and buttons to send or cancel it. */
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
