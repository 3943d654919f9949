/** Dialog that chooses who is told when a search ends or an input waits: this browser, and people by e-mail. */
import { useId, useState } from 'preact/hooks';
import type { Recipient } from '../../../../clients/typescript/src/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { useSending } from '../../parts/sending.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { service } from '../../shell/service.ts';
import { useLive } from '../../shell/use-live.ts';
import { PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { Waits } from '../administration/parts/waits.tsx';
import { notifyState, setNotifying } from './notify.ts';

type Told = Recipient['tells'][number];

const KINDS = [
  ['ended', 'the search ends'],
  ['waiting', 'an input waits for its outputs'],
] as const satisfies readonly (readonly [Told, string])[];

interface TellDialogProps {
  readonly objectiveId: number;
  onClose(): void;
}

export function TellDialog({ objectiveId, onClose }: TellDialogProps) {
  const live = useLive<readonly Recipient[]>(
    { read: (signal) => readAll('listRecipients', { signal }), pauseMs: PAUSE_MS },
    [],
  );
  const isConcerned = (one: Recipient) => one.objectiveId === null || one.objectiveId === objectiveId;
  return (
    <Dialog title="Tell somebody" onClose={onClose}>
      <ThisBrowser />
      <h3>By e-mail</h3>
      <NewRecipient objectiveId={objectiveId} onAdded={live.refresh} />
      <Waits live={live}>
        {(recipients) => <Recipients recipients={recipients.filter(isConcerned)} onRemoved={live.refresh} />}
      </Waits>
    </Dialog>
  );
}

const HINTS = {
  on: 'For every objective open in a background tab.',
  off: 'For every objective open in a background tab. The browser asks you first.',
  denied: 'The browser refuses notifications of this page: allow them in its settings.',
  impossible: 'This browser does not support notifications, at least not over plain HTTP.',
} as const;

function ThisBrowser() {
  const [state, setState] = useState(notifyState);
  return (
    <>
      <h3>In this browser</h3>
      <label class="choice">
        <input
          type="checkbox"
          checked={state === 'on'}
          disabled={state === 'denied' || state === 'impossible'}
          onChange={({ currentTarget }) => void setNotifying(currentTarget.checked).then(setState)}
        />
        <span>Show a notification when a search ends or an input waits</span>
      </label>
      <p class="hint">{HINTS[state]}</p>
    </>
  );
}

function NewRecipient({ objectiveId, onAdded }: { readonly objectiveId: number; onAdded(): void }) {
  const [email, setEmail] = useState('');
  const [isForAll, setForAll] = useState(false);
  const [tells, setTells] = useState<readonly Told[]>(['ended', 'waiting']);
  const [said, setSaid] = useState('');
  const sending = useSending();
  const id = useId();
  const add = () =>
    sending.send(async () => {
      setSaid('');
      const body = { email: email.trim(), objectiveId: isForAll ? null : objectiveId, tells };
      const { confirmedAt } = (await service.call('addRecipient', { body: body as never })).body;
      setEmail('');
      setSaid(
        confirmedAt === null
          ? `An e-mail asks ${body.email} to agree. Nothing else is sent until then.`
          : `${body.email} is told.`,
      );
      onAdded();
    });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label for={`${id}-email`}>E-mail address</label>
      <input
        id={`${id}-email`}
        type="email"
        autocomplete="email"
        value={email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <fieldset>
        <legend>Tell them when</legend>
        {KINDS.map(([kind, text]) => (
          <label key={kind} class="choice">
            <input
              type="checkbox"
              checked={tells.includes(kind)}
              onChange={({ currentTarget }) =>
                setTells(currentTarget.checked ? [...tells, kind] : tells.filter((other) => other !== kind))
              }
            />
            <span>{text}</span>
          </label>
        ))}
        <label class="choice">
          <input
            type="checkbox"
            checked={isForAll}
            onChange={({ currentTarget }) => setForAll(currentTarget.checked)}
          />
          <span>of all objectives and batches of the account, not only of this objective</span>
        </label>
      </fieldset>
      <Fault error={sending.error} />
      <p role="status">{said}</p>
      <p class="dialog-buttons">
        <button type="submit" class="primary" disabled={sending.isBusy || email.trim() === '' || tells.length === 0}>
          Tell them
        </button>
      </p>
    </form>
  );
}

function stateOf({ confirmedAt, enabled, failingSince, lastError }: Recipient): string {
  if (!enabled) return `ended: ${lastError}`;
  if (failingSince !== null) return lastError ?? 'the last e-mail failed';
  return confirmedAt === null ? 'has not agreed yet' : 'is told';
}

function Recipients({ recipients, onRemoved }: { readonly recipients: readonly Recipient[]; onRemoved(): void }) {
  const sending = useSending();
  if (recipients.length === 0) return <p class="hint">Nobody is told by e-mail yet.</p>;
  const remove = ({ id }: Recipient) =>
    sending.send(async () => {
      await service.call('removeRecipient', { path: { recipient_id: id } }).catch((error: unknown) => {
        // They have ended it themselves.
        if ((error as { readonly status?: number }).status !== 404) throw error;
      });
      onRemoved();
    });
  return (
    <>
      <Fault error={sending.error} />
      <ScrollBox label="People who are told by e-mail">
        <table class="admin-table">
          <TableHead titles={['Address', 'When', 'Of', 'State']} controls="Remove" />
          <tbody>
            {recipients.map((one) => (
              <tr key={one.id}>
                <th scope="row" class="admin-name">
                  {one.email}
                </th>
                <td>{one.tells.join(', ')}</td>
                <td>{one.objectiveId === null ? 'all' : 'this objective'}</td>
                <td class="admin-text">{stateOf(one)}</td>
                <td class="admin-actions">
                  <button
                    type="button"
                    disabled={sending.isBusy}
                    aria-label={`Remove ${one.email}`}
                    onClick={() => void remove(one)}
                  >
                    Remove
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}
