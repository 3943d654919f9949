import { useState } from 'preact/hooks';
import type { Key } from '../../../../clients/typescript/src/index.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { useSending } from '../../parts/sending.ts';
import { service } from '../../shell/service.ts';
import { session } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { ROLES } from '../accept/roles.ts';
import { WayBack } from '../accept/way-back.tsx';
import { stateOfKey } from '../administration/keys/key-states.ts';
import { LONG_PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { ShownOnce } from '../administration/parts/shown-once.tsx';
import { Waits } from '../administration/parts/waits.tsx';
import type { SectionProps } from './section.ts';

/** The name of the person, ways back in, keys, and leaving. */
export function You(props: SectionProps) {
  const { person } = props.me;
  return person === null ? null : <Person {...props} person={person} />;
}

interface PersonProps extends SectionProps {
  readonly person: NonNullable<SectionProps['me']['person']>;
}

function Person({ me, person, refresh }: PersonProps) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email ?? '');
  const [link, setLink] = useState<string | undefined>(undefined);
  const [isLeaving, setLeaving] = useState(false);
  const sending = useSending();
  const save = (event: Event) => {
    event.preventDefault();
    void sending.send(async () => {
      const body = { name: name.trim(), email: email.trim() === '' ? null : email.trim() };
      const answer = await service.call('updateMe', { body });
      if (session.value) session.value = { ...session.value, person: answer.body.actor };
      refresh();
    });
  };
  const makeLink = () =>
    sending.send(async () => {
      const { body } = await service.call('createMyLink');
      setLink(location.origin + body.link);
    });
  return (
    <>
      {me.role !== null && (
        <p>
          Your role in the account <bdi>{me.account.name}</bdi> is {me.role}: you {ROLES[me.role]}.
        </p>
      )}
      <form onSubmit={save}>
        <div class="admin-fields">
          <div>
            <label for="you-name">Name</label>
            <input
              id="you-name"
              autocomplete="name"
              maxLength={100}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </div>
          <div>
            <label for="you-email">E-mail (optional)</label>
            <input
              id="you-email"
              type="email"
              autocomplete="email"
              value={email}
              onInput={({ currentTarget }) => setEmail(currentTarget.value)}
            />
          </div>
        </div>
        <p class="admin-actions">
          <button type="submit" disabled={sending.isBusy || name.trim() === ''}>
            Save
          </button>
        </p>
      </form>
      <Fault error={sending.error} />
      <h3>Coming back</h3>
      <OwnKeys />
      <p class="admin-actions">
        <button type="button" onClick={() => void makeLink()}>
          Sign in on another device…
        </button>
        <button type="button" onClick={() => setLeaving(true)}>
          Leave this account…
        </button>
      </p>
      {link !== undefined && (
        <Dialog title="Sign in on another device" onClose={() => setLink(undefined)}>
          <ShownOnce
            name="Sign-in link"
            text={link}
            hint="Open it on the other device within 15 minutes. It works once and signs in as you."
            onDone={() => setLink(undefined)}
          />
        </Dialog>
      )}
      {isLeaving && <LeaveDialog onClose={() => setLeaving(false)} />}
    </>
  );
}

function LeaveDialog({ onClose }: { onClose(): void }) {
  return (
    <ConfirmDialog
      title="Leave this account?"
      action="Leave"
      onClose={onClose}
      onConfirm={async () => {
        await service.call('leaveAccount');
        location.assign('/page');
      }}
    >
      <p>Your sessions and keys in this account end. What you entered stays, with your name.</p>
    </ConfirmDialog>
  );
}

function OwnKeys() {
  const live = useLive<readonly Key[]>(
    { read: (signal) => readAll('listMyKeys', { signal }), pauseMs: LONG_PAUSE_MS },
    [],
  );
  const sending = useSending();
  const revoke = (key: Key) =>
    sending.send(async () => {
      await service.call('revokeMyKey', { path: { key_id: key.id } });
      live.refresh();
    });
  return (
    <>
      <WayBack onMade={live.refresh} />
      <Fault error={sending.error} />
      <Waits live={live}>
        {(keys) => (
          <ul class="admin-list">
            {keys
              .filter((key) => stateOfKey(key, new Date()) === 'active')
              .map((key) => (
                <li key={key.id}>
                  {key.label ?? 'a key'} <code>{key.keyId}</code>{' '}
                  <button type="button" aria-label={`Revoke ${key.keyId}`} onClick={() => void revoke(key)}>
                    Revoke
                  </button>
                </li>
              ))}
          </ul>
        )}
      </Waits>
    </>
  );
}
