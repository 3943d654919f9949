import { signal } from '@preact/signals';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { unsentDrafts } from './drafts.ts';
import { session, signOut } from './session.ts';

/** The drafts that would be lost, while the dialog is open. */
const unsent = signal<readonly string[]>([]);

/** Asks first if there are unsent drafts. */
export function SignOutButton() {
  const begin = () => {
    unsent.value = unsentDrafts(session.value?.account ?? '');
    if (unsent.value.length === 0) void signOut();
  };
  return (
    <button type="button" class="quiet" onClick={begin}>
      Sign out
    </button>
  );
}

/** Apart from the button: a dialog has a header of its own. */
export function SignOutDialog() {
  if (unsent.value.length === 0 || !session.value) return null;
  const close = () => {
    unsent.value = [];
  };
  return (
    <ConfirmDialog
      title="Sign out and delete drafts?"
      action="Sign out and delete"
      onClose={close}
      onConfirm={async () => {
        if (!(await signOut())) throw new Error('The service does not respond, so you are still signed in. Try again.');
        close();
      }}
    >
      <p>These drafts have not been sent and exist only in this browser. Signing out deletes them:</p>
      <ul>
        {unsent.value.map((draft) => (
          <li key={draft}>{draft}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
