/** Signing in by the OpenID provider of the service, where there is one. */
import { useEffect, useState } from 'preact/hooks';
import { fetchNoting } from '../../shell/service.ts';
import { failedSignIn } from '../../shell/session.ts';

/** By what the service puts behind #sign-in-failed= in the address. */
const FAILURES: Readonly<Record<string, string>> = {
  over: 'This sign-in took too long, or was finished before. Start again.',
  denied: 'The sign-in was cancelled, or the provider does not admit you.',
  unavailable: 'The provider of your organization does not answer. Try again in a moment, or sign in with a key.',
  refused: 'The answer of the provider did not pass a check. Start again; if it happens again, ask the operator.',
  domain: 'The domain of your e-mail address may not sign in here, or the address is not verified.',
  groups:
    'The provider of your organization did not state your groups clearly. Ask the operator of this service; the log says what to set.',
  'no-account': 'You are not a member of an account of this service. Ask an owner for an invitation.',
  invitation:
    'The invitation has been used, was revoked or has expired, or whoever made it may not invite any more. Ask for another one.',
  full: 'The account has reached its limit of members. Ask one of its owners.',
};

interface OpenIdProps {
  /** Accepted by whoever signs in. */
  readonly invitation?: string;
}

export function OpenId({ invitation }: OpenIdProps) {
  const [isOffered, setOffered] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  useEffect(() => {
    fetchNoting('/session/openid').then(
      async (answer) => setOffered(answer.ok && ((await answer.json()) as { isOffered: boolean }).isOffered),
      // Other ways to sign in remain.
      () => undefined,
    );
  }, []);
  const failure = failedSignIn.value;
  const begin = async () => {
    setFault(undefined);
    const returnTo = location.pathname + location.search;
    try {
      const answer = await fetchNoting('/session/openid', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ returnTo, ...(invitation !== undefined && { invitation }) }),
      });
      const { url, detail } = (await answer.json()) as { readonly url?: string; readonly detail?: string };
      if (url !== undefined) location.assign(url);
      else setFault(detail);
    } catch {
      setFault('The service does not respond. Check that it is running, then try again.');
    }
  };
  return (
    <>
      {failure !== undefined && (
        <p class="notice warning" role="alert">
          {FAILURES[failure] ?? 'Signing in failed.'}
        </p>
      )}
      {isOffered && (
        <p>
          <button type="button" class="primary" onClick={() => void begin()}>
            Sign in with your organization
          </button>
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}
