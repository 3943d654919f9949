/** Accepting an invitation: what it offers, the name of who accepts it, and a way back in. */
import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../../shell/router.ts';
import { fetchNoting } from '../../shell/service.ts';
import { may, offeredInvitation, session, signIn, signInNotice } from '../../shell/session.ts';
import { OpenId } from './openid.tsx';
import { ROLES, type Role } from './roles.ts';
import { WayBack } from './way-back.tsx';

interface Offer {
  readonly accountName: string;
  readonly opens: 'this account' | 'an account for each';
  readonly role: Role;
  readonly label: string | null;
  readonly createdBy: string;
}

interface AcceptProps {
  readonly token: string;
}

/** Goes to what the person may see: an evaluator sees no objectives. */
function leave(): void {
  offeredInvitation.value = undefined;
  navigate(session.value && !may('read') ? '/page/people?show=you' : '/page', { replace: true });
}

export function Accept({ token }: AcceptProps) {
  const [offer, setOffer] = useState<Offer | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [hasJoined, setJoined] = useState(false);
  useEffect(() => {
    setOffer(undefined);
    readOffer(token).then(setOffer, (error: Error) => setFault(error.message));
  }, [token]);
  if (hasJoined) {
    return (
      <section class="narrow">
        <h1>Welcome, {session.value?.person}</h1>
        <WayBack />
        <p>
          <button type="button" class="primary" onClick={leave}>
            Start
          </button>
        </p>
      </section>
    );
  }
  return (
    <section class="narrow">
      <h1>Invitation</h1>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {offer === undefined && fault === undefined && <p role="status">Loading…</p>}
      {offer !== undefined && <OfferForm token={token} offer={offer} onJoined={() => setJoined(true)} />}
      <p>
        <button type="button" class="quiet" onClick={leave}>
          {session.value ? 'Ignore the invitation' : 'Sign in instead'}
        </button>
      </p>
    </section>
  );
}

async function readOffer(invitation: string): Promise<Offer> {
  const answer = await fetchNoting('/session/invitation', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ invitation }),
  }).catch(() => {
    throw new Error('The service does not respond. Check that it is running, then reload the page.');
  });
  const body = (await answer.json()) as Offer & { readonly detail?: string };
  if (!answer.ok) throw new Error(body.detail ?? 'The invitation could not be read.');
  return body;
}

interface OfferFormProps extends AcceptProps {
  readonly offer: Offer;
  onJoined(): void;
}

function OfferForm({ token, offer, onJoined }: OfferFormProps) {
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const known = session.value;
  const accept = async (as: { readonly name?: string }) => {
    setBusy(true);
    // A page of another account begins where every account has something to show.
    history.replaceState(null, '', '/page');
    if (await signIn({ invitation: token, ...as })) {
      if (as.name === undefined) leave();
      else onJoined();
    }
    setBusy(false);
  };
  const isOwn = offer.opens === 'an account for each';
  return (
    <>
      <p>
        <bdi>{offer.createdBy}</bdi> invites you to{' '}
        {isOwn ? (
          <>
            <bdi>{offer.label ?? offer.accountName}</bdi>. You get an account of your own, which{' '}
            <bdi>{offer.createdBy}</bdi> sees as well.
          </>
        ) : (
          <>
            the account <bdi>{offer.accountName}</bdi>, as {offer.role}: you {ROLES[offer.role]}.
          </>
        )}
      </p>
      {signInNotice.value !== undefined && (
        <p class="fault" role="alert">
          {signInNotice.value}
        </p>
      )}
      {known?.person != null && (
        <p>
          <button type="button" class="primary" disabled={isBusy} onClick={() => void accept({})}>
            Accept as {known.person}
          </button>
        </p>
      )}
      <OpenId invitation={token} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void accept({ name: name.trim() });
        }}
      >
        <label for="person-name">Your name</label>
        <input
          id="person-name"
          autocomplete="name"
          required
          maxLength={100}
          value={name}
          aria-describedby="person-name-help"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <p id="person-name-help" class="hint">
          What you enter is shown with this name to everybody in the account.
        </p>
        <button
          type="submit"
          class={known?.person == null ? 'primary' : undefined}
          disabled={isBusy || name.trim() === ''}
        >
          {isBusy ? 'Joining…' : 'Join'}
        </button>
      </form>
    </>
  );
}
