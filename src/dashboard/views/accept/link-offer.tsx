import { offeredLink, session, signIn } from '../../shell/session.ts';

/** Asks before using a sign-in link from the address: another page may have put it there. */
export function LinkOffer() {
  const token = offeredLink.value;
  if (token === undefined) return null;
  const known = session.value;
  return (
    <div class="notice warning" role="status">
      <p>
        This address contains a sign-in link.{' '}
        {known && `You are signed in to the account ${known.account}; the link ends this session and starts a new one.`}
        {' Use it only if you opened it yourself.'}
      </p>
      <p class="dialog-buttons">
        <button type="button" onClick={() => void signIn({ token })}>
          Sign in with the link
        </button>
        <button
          type="button"
          onClick={() => {
            offeredLink.value = undefined;
          }}
        >
          Ignore the link
        </button>
      </p>
    </div>
  );
}
