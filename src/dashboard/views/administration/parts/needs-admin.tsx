import type { Section } from './choice.ts';

/** Replaces a section for keys without the scope admin. */
export function NeedsAdmin({ section }: { readonly section: Section }) {
  return (
    <div class="admin-none">
      <p>
        To see and change the {section} of the account, sign in with a key that has the scope <code>admin</code>. Yours
        does not.
      </p>
      <p class="hint">
        On the machine of the service, <code>npx backsolve page</code> prints a link that signs you in with all rights,
        and <code>npx backsolve keys create --scopes read,write,admin</code> creates such a key.
      </p>
    </div>
  );
}
