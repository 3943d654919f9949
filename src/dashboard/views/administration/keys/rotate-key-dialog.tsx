import { useId, useState } from 'preact/hooks';
import type { Key, RotatedKey } from '../../../../../clients/typescript/src/index.ts';
import { dayAndTime } from '../../../../presentation/formats.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { useSending } from '../../../parts/sending.ts';
import { service } from '../../../shell/service.ts';
import { isSignedInWith } from '../../../shell/session.ts';
import { ShownOnce } from '../parts/shown-once.tsx';

/** Times for which the old key can keep working. */
const OVERLAPS: readonly { readonly seconds: number; readonly label: string }[] = [
  { seconds: 0, label: 'stop working immediately' },
  { seconds: 3_600, label: 'keep working for an hour' },
  { seconds: 86_400, label: 'keep working for a day' },
  { seconds: 604_800, label: 'keep working for a week' },
];

interface RotateKeyDialogProps {
  readonly old: Key;
  onRotated(): void;
  onClose(): void;
}

/** Replaces a key by one with the same label, scopes and expiry. */
export function RotateKeyDialog({ old, onRotated, onClose }: RotateKeyDialogProps) {
  // Without an overlap the page would be signed out before the new key was copied.
  const isOwn = isSignedInWith(old);
  const overlaps = isOwn ? OVERLAPS.filter(({ seconds }) => seconds > 0) : OVERLAPS;
  const [overlap, setOverlap] = useState(86_400);
  const [made, setMade] = useState<RotatedKey | undefined>(undefined);
  const sending = useSending();
  const id = useId();
  if (made !== undefined) {
    const end = made.predecessor.expiresAt;
    const until = overlap === 0 || end === null ? 'has stopped working' : `works until ${dayAndTime(new Date(end))}`;
    return (
      <Dialog title="The key is replaced" onClose={onClose}>
        <ShownOnce name="New API key" text={made.key} hint={`The old key ${until}.`} onDone={onClose} />
      </Dialog>
    );
  }
  const rotate = () =>
    sending.send(async () => {
      const answer = await service.call('rotateKey', { path: { key_id: old.id }, body: { overlapSeconds: overlap } });
      setMade(answer.body);
      onRotated();
    });
  return (
    <FormDialog
      title="Replace this key with a new one"
      action="Replace"
      sending={sending}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>
        The new key has the label, the scopes and the expiry of{' '}
        {old.label === null ? null : (
          <>
            <bdi>{old.label}</bdi>,{' '}
          </>
        )}
        <code>{old.keyId}</code>.
      </p>
      <label for={id}>The old key should</label>
      <select id={id} value={overlap} onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}>
        {overlaps.map(({ seconds, label }) => (
          <option key={seconds} value={seconds}>
            {label}
          </option>
        ))}
      </select>
      <p class="hint">Allow enough time to give the new key to everyone who uses the old one.</p>
      {isOwn && (
        <p class="notice warning">
          You are signed in with this key: when it stops working, you are signed out. Sign in with the new key before
          then.
        </p>
      )}
    </FormDialog>
  );
}
