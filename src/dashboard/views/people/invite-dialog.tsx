import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useSending } from '../../parts/sending.ts';
import { service } from '../../shell/service.ts';
import { ROLES, type Role } from '../accept/roles.ts';
import { ShownOnce } from '../administration/parts/shown-once.tsx';

interface InviteDialogProps {
  onClose(): void;
}

/** Choice of days for which links work. */
const DAYS = [1, 7, 30, 90] as const;

export function InviteDialog({ onClose }: InviteDialogProps) {
  const [role, setRole] = useState<Role>('member');
  const [label, setLabel] = useState('');
  const [isForMany, setForMany] = useState(false);
  const [days, setDays] = useState(7);
  const [link, setLink] = useState<string | undefined>(undefined);
  const sending = useSending();
  const id = useId();
  if (link !== undefined) {
    const who = isForMany ? 'Whoever has the link joins' : 'The first who opens it joins';
    return (
      <Dialog title="The invitation is ready" onClose={onClose}>
        <ShownOnce name="Invitation link" text={link} hint={`${who} as ${role}.`} onDone={onClose} />
      </Dialog>
    );
  }
  const create = () =>
    sending.send(async () => {
      const body = { role, label: label.trim() === '' ? null : label.trim(), maximumUses: isForMany ? null : 1, days };
      const answer = await service.call('createInvitation', { body });
      setLink(location.origin + answer.body.link);
    });
  return (
    <FormDialog
      title="Invite to this account"
      action="Make the link"
      sending={sending}
      onSubmit={create}
      onClose={onClose}
    >
      <fieldset>
        <legend>Role</legend>
        {(Object.keys(ROLES) as Role[]).map((one) => (
          <label key={one} class="choice">
            <input type="radio" name={`${id}-role`} checked={one === role} onChange={() => setRole(one)} />
            <span>
              {one}: {ROLES[one]}
            </span>
          </label>
        ))}
      </fieldset>
      <label for={id}>For whom or what (optional)</label>
      <input id={id} maxLength={100} value={label} onInput={({ currentTarget }) => setLabel(currentTarget.value)} />
      <div class="admin-fields">
        <div>
          <label for={`${id}-uses`}>For</label>
          <select
            id={`${id}-uses`}
            value={isForMany ? 'many' : 'one'}
            onChange={({ currentTarget }) => setForMany(currentTarget.value === 'many')}
          >
            <option value="one">one person</option>
            <option value="many">everybody with the link</option>
          </select>
        </div>
        <DaysField id={`${id}-days`} days={days} onChange={setDays} />
      </div>
    </FormDialog>
  );
}

interface DaysFieldProps {
  readonly id: string;
  readonly days: number;
  onChange(days: number): void;
}

export function DaysField({ id, days, onChange }: DaysFieldProps) {
  return (
    <div>
      <label for={id}>Works for</label>
      <select id={id} value={String(days)} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        {DAYS.map((one) => (
          <option key={one} value={String(one)}>
            {one === 1 ? '1 day' : `${one} days`}
          </option>
        ))}
      </select>
    </div>
  );
}
