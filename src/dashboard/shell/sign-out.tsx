import { signal } from '@preact/signals';
import { unsentDrafts } from './drafts.ts';
import { session, signOut } from './session.ts';

/** The drafts that would be lost, while the dialog is open. */
export const unsent = signal<readonly string[]>([]);

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
