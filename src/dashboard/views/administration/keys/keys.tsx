/** The API keys of the account. */

import { useState } from 'preact/hooks';
import type { Key } from '../../../../../clients/typescript/src/index.ts';
import { Age } from '../../../parts/age.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
import { isSignedInWith } from '../../../shell/session.ts';
import { useLive } from '../../../shell/use-live.ts';
import { Moment } from '../parts/moment.tsx';
import { LONG_PAUSE_MS, readAll } from '../parts/read-list.ts';
import { Waits } from '../parts/waits.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { type KeyState, stateOfKey } from './key-states.ts';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

type Doing = { readonly kind: 'create' } | { readonly kind: 'revoke' | 'rotate'; readonly key: Key };

export function Keys() {
  const live = useLive<readonly Key[]>(
    { read: (signal) => readAll('listKeys', { signal }), pauseMs: LONG_PAUSE_MS },
    [],
  );
  const [doing, setDoing] = useState<Doing | undefined>(undefined);
  const close = () => setDoing(undefined);
  return (
    <>
      <div class="admin-head">
        <p class="hint">A key signs in programs and people. Its scopes define what they may do.</p>
        <button type="button" class="primary" onClick={() => setDoing({ kind: 'create' })}>
          Create a key
        </button>
      </div>
      <Waits live={live}>{(keys) => <KeyTable keys={keys} onDo={setDoing} />}</Waits>
      {doing?.kind === 'create' && <CreateKeyDialog onCreated={live.refresh} onClose={close} />}
      {doing?.kind === 'rotate' && <RotateKeyDialog old={doing.key} onRotated={live.refresh} onClose={close} />}
      {doing?.kind === 'revoke' && (
        <ConfirmDialog
          title="Revoke this key?"
          action="Revoke"
          onClose={close}
          onConfirm={async () => {
            await service.call('revokeKey', { path: { key_id: doing.key.id } });
            close();
            live.refresh();
          }}
        >
          <p>
            <KeyName apiKey={doing.key} /> stops working immediately and permanently, and everyone signed in with it is
            signed out.
          </p>
          {isSignedInWith(doing.key) && (
            <p class="notice warning">You are signed in with this key, so you will be signed out as well.</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyName({ apiKey: { label, keyId } }: { readonly apiKey: Key }) {
  if (label === null) return <code>{keyId}</code>;
  return (
    <>
      <bdi>{label}</bdi> (<code>{keyId}</code>)
    </>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  onDo(doing: Doing): void;
}

function KeyTable({ keys, onDo }: KeyTableProps) {
  if (keys.length === 0) {
    return (
      <div class="admin-none">
        <p>
          The account has no key yet: you signed in with a link. Create one for your programs, here or with{' '}
          <code>npx backsolve keys create</code>.
        </p>
      </div>
    );
  }
  const now = new Date();
  return (
    <ScrollBox label="Keys">
      <table class="admin-table">
        <TableHead titles={['Label', 'Key', 'Scopes', 'State', 'Created', 'Expires', 'Last used']} controls="Actions" />
        <tbody>
          {keys.toReversed().map((key) => (
            <KeyRow key={key.id} apiKey={key} state={stateOfKey(key, now)} keys={keys} onDo={onDo} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

interface KeyRowProps extends KeyTableProps {
  readonly apiKey: Key;
  readonly state: KeyState;
}

function KeyRow({ apiKey, state, keys, onDo }: KeyRowProps) {
  const { keyId, label, scopes, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt, successorId } = apiKey;
  const successor = keys.find((key) => key.id === successorId);
  const name = label ?? keyId;
  return (
    <tr class={state === 'active' ? undefined : 'is-over'}>
      <th scope="row" class="admin-name">
        {label === null ? <span class="hint">none</span> : <bdi>{label}</bdi>}
      </th>
      <td>
        <code>{keyId}</code>
      </td>
      <td>{scopes.join(', ')}</td>
      <td>
        <KeyBadge state={state} />
        {revokedAt !== null && (
          <span class="hint">
            {' '}
            <Age time={revokedAt} />
          </span>
        )}
        {successor && <p class="hint">replaced by {successor.keyId}</p>}
        {isSignedInWith(apiKey) && <p class="hint">you are signed in with it</p>}
      </td>
      <td>
        <Age time={createdAt} />
        {createdBy !== null && (
          <>
            , <bdi>{createdBy}</bdi>
          </>
        )}
      </td>
      <td>
        <Moment time={expiresAt} none="never" />
      </td>
      <td>{lastUsedAt === null ? 'never' : <Age time={lastUsedAt} />}</td>
      <td class="admin-actions">
        {state === 'active' && successorId === null && (
          <button type="button" aria-label={`Rotate ${name}`} onClick={() => onDo({ kind: 'rotate', key: apiKey })}>
            Rotate…
          </button>
        )}
        {state !== 'revoked' && (
          <button type="button" aria-label={`Revoke ${name}`} onClick={() => onDo({ kind: 'revoke', key: apiKey })}>
            Revoke…
          </button>
        )}
      </td>
    </tr>
  );
}

const STATES: Readonly<Record<KeyState, readonly [text: string, look: string]>> = {
  active: ['Active', 'good'],
  expired: ['Expired', 'over'],
  revoked: ['Revoked', 'over'],
};

function KeyBadge({ state }: { readonly state: KeyState }) {
  const [text, look] = STATES[state];
  return <span class={`badge ${look}`}>{text}</span>;
}
