import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { signOut } from '../../shell/session.ts';
import { unsent } from '../../shell/sign-out.tsx';

/** Asks before drafts are lost. */
export function SignOutDialog() {
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
