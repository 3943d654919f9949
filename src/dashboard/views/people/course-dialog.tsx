import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useSending } from '../../parts/sending.ts';
import { service } from '../../shell/service.ts';
import { ShownOnce } from '../administration/parts/shown-once.tsx';
import { DaysField } from './invite-dialog.tsx';

interface CourseDialogProps {
  onClose(): void;
}

/** One link for all: everybody who opens it gets an account, in which whoever teaches is a member. */
export function CourseDialog({ onClose }: CourseDialogProps) {
  const [label, setLabel] = useState('');
  const [count, setCount] = useState('30');
  const [inviterRole, setInviterRole] = useState<'owner' | 'reader'>('owner');
  const [days, setDays] = useState(7);
  const [link, setLink] = useState<string | undefined>(undefined);
  const sending = useSending();
  const id = useId();
  if (link !== undefined) {
    return (
      <Dialog title="The course is ready" onClose={onClose}>
        <ShownOnce
          name="Link for the course"
          text={link}
          hint="Show it to everybody. Their accounts appear under “Accounts”."
          onDone={onClose}
        />
      </Dialog>
    );
  }
  const places = Number(count);
  const isReady = label.trim() !== '' && Number.isInteger(places) && places >= 1 && places <= 1_000;
  const create = () =>
    sending.send(async () => {
      const body = {
        opens: 'an account for each' as const,
        label: label.trim(),
        maximumUses: places,
        inviterRole,
        days,
      };
      const answer = await service.call('createInvitation', { body });
      setLink(location.origin + answer.body.link);
    });
  return (
    <FormDialog
      title="Start a course"
      action="Make the link"
      isReady={isReady}
      sending={sending}
      onSubmit={create}
      onClose={onClose}
    >
      <p>Everybody who opens the link gives a name and gets an account of their own. You see all of them.</p>
      <label for={id}>Name of the course</label>
      <input
        id={id}
        maxLength={100}
        required
        value={label}
        onInput={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <div class="admin-fields">
        <div>
          <label for={`${id}-count`}>Places (at most 1000)</label>
          <input
            id={`${id}-count`}
            inputMode="numeric"
            value={count}
            onInput={({ currentTarget }) => setCount(currentTarget.value)}
          />
        </div>
        <div>
          <label for={`${id}-role`}>You</label>
          <select
            id={`${id}-role`}
            value={inviterRole}
            onChange={({ currentTarget }) => setInviterRole(currentTarget.value as 'owner' | 'reader')}
          >
            <option value="owner">see, help and manage</option>
            <option value="reader">only see</option>
          </select>
        </div>
        <DaysField id={`${id}-days`} days={days} onChange={setDays} />
      </div>
    </FormDialog>
  );
}
