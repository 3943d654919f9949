import { useState } from 'preact/hooks';
import { accountElsewhere, signIn, signInNotice } from '../../shell/session.ts';
import { OpenId } from '../accept/openid.tsx';

/** Asks for a key where no sign-in link was followed. */
export function SignIn() {
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const notice = signInNotice.value;
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await signIn({ key: key.trim() });
    setBusy(false);
  };
  return (
    <section class="narrow">
      <h1>Sign in</h1>
      {notice !== undefined && (
        <p class="notice warning" role="alert">
          {notice}
        </p>
      )}
      {accountElsewhere.value !== undefined && (
        <div class="notice warning" role="alert">
          <p>Another tab signed in to the account {accountElsewhere.value}, which ended the session in this tab.</p>
          <button type="button" onClick={() => location.reload()}>
            Continue with {accountElsewhere.value}
          </button>
        </div>
      )}
      <OpenId />
      <form onSubmit={(event) => void send(event)}>
        <label for="key">API key</label>
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          required
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
          aria-describedby="key-help"
        />
        <p id="key-help" class="hint">
          It begins with bks_. <code>npx backsolve keys create</code> creates one; on the machine of the service,{' '}
          <code>npx backsolve page</code> prints a link that signs you in without a key.
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </section>
  );
}
