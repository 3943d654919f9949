import { useState } from 'preact/hooks';
import type { Member } from '../../../../clients/typescript/src/index.ts';
import { Age } from '../../parts/age.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { useSending } from '../../parts/sending.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { ROLES, type Role } from '../accept/roles.ts';
import { LONG_PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { ShownOnce } from '../administration/parts/shown-once.tsx';
import { Waits } from '../administration/parts/waits.tsx';
import { CourseDialog } from './course-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import type { SectionProps } from './section.ts';

type Doing =
  | { readonly kind: 'invite' | 'course' }
  | { readonly kind: 'remove'; readonly member: Member }
  | { readonly kind: 'link'; readonly member: Member; readonly link: string };

export function Members({ me }: SectionProps) {
  const live = useLive<readonly Member[]>(
    { read: (signal) => readAll('listMembers', { signal }), pauseMs: LONG_PAUSE_MS },
    [],
  );
  const [doing, setDoing] = useState<Doing | undefined>(undefined);
  const sending = useSending();
  const close = () => setDoing(undefined);
  const makeLink = (member: Member) =>
    sending.send(async () => {
      const { body } = await service.call('createMemberLink', { path: { person_id: member.id } });
      setDoing({ kind: 'link', member, link: location.origin + body.link });
    });
  const changeRole = (member: Member, role: Role) =>
    sending.send(async () => {
      await service.call('updateMember', { path: { person_id: member.id }, body: { role } });
      live.refresh();
    });
  return (
    <>
      {may('admin') && (
        <div class="admin-head">
          <p class="hint">Members sign in under their own names. A role defines what they may do.</p>
          <div class="admin-actions">
            <button type="button" class="primary" onClick={() => setDoing({ kind: 'invite' })}>
              Invite…
            </button>
            {me.person !== null && (
              <button type="button" onClick={() => setDoing({ kind: 'course' })}>
                Start a course…
              </button>
            )}
          </div>
        </div>
      )}
      <Fault error={sending.error} />
      <Waits live={live}>
        {(members) =>
          members.length === 0 ? (
            <p class="admin-none">Nobody has joined this account by name yet.</p>
          ) : (
            <ScrollBox label="Members">
              <table class="admin-table">
                <TableHead titles={['Name', 'E-mail', 'Role', 'Joined', 'Last seen']} controls="Actions" />
                <tbody>
                  {members.map((member) => (
                    <MemberRow
                      key={member.id}
                      member={member}
                      isYou={member.id === me.person?.id}
                      onRole={(role) => void changeRole(member, role)}
                      onLink={() => void makeLink(member)}
                      onRemove={() => setDoing({ kind: 'remove', member })}
                    />
                  ))}
                </tbody>
              </table>
            </ScrollBox>
          )
        }
      </Waits>
      {doing?.kind === 'invite' && <InviteDialog onClose={close} />}
      {doing?.kind === 'course' && <CourseDialog onClose={close} />}
      {doing?.kind === 'link' && (
        <Dialog title={`A sign-in link for ${doing.member.name}`} onClose={close}>
          <ShownOnce
            name="Sign-in link"
            text={doing.link}
            hint={`Give it to ${doing.member.name} alone. It works once, within 24 hours, and for this account only.`}
            onDone={close}
          />
        </Dialog>
      )}
      {doing?.kind === 'remove' && (
        <RemoveDialog
          member={doing.member}
          onRemoved={() => {
            close();
            live.refresh();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isYou: boolean;
  onRole(role: Role): void;
  onLink(): void;
  onRemove(): void;
}

function MemberRow({ member, isYou, onRole, onLink, onRemove }: MemberRowProps) {
  return (
    <tr>
      <th scope="row" class="admin-name">
        <bdi>{member.name}</bdi>
        {isYou && <span class="hint"> (you)</span>}
      </th>
      <td>{member.email ?? '–'}</td>
      <td>
        <RoleOf member={member} onChange={onRole} />
      </td>
      <td>
        <Age time={member.joinedAt} />
      </td>
      <td>{member.lastUsedAt === null ? '–' : <Age time={member.lastUsedAt} />}</td>
      <td class="admin-actions">
        {may('admin') && (
          <>
            <button type="button" aria-label={`Sign-in link for ${member.name}`} onClick={onLink}>
              Sign-in link…
            </button>
            <button type="button" aria-label={`Remove ${member.name}`} onClick={onRemove}>
              Remove…
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

interface RemoveDialogProps {
  readonly member: Member;
  onRemoved(): void;
  onClose(): void;
}

function RemoveDialog({ member: { id, name }, onRemoved, onClose }: RemoveDialogProps) {
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await service.call('removeMember', { path: { person_id: id } });
        onRemoved();
      }}
    >
      <p>
        Sessions and keys of <bdi>{name}</bdi> in this account end immediately, and invitations of theirs are revoked.
        Everything that they entered stays, with their name.
      </p>
      <p>
        Links, keys of the account, webhooks and e-mail recipients stay, too: the account may depend on them. Look
        through those that <bdi>{name}</bdi> made or knows.
      </p>
    </ConfirmDialog>
  );
}

interface RoleOfProps {
  readonly member: Member;
  onChange(role: Role): void;
}

/** Tells what a membership owes to groups of the provider. */
function GroupHint({ member: { byGroup, role, groupRole, edited, countsUntil } }: Pick<RoleOfProps, 'member'>) {
  if (!byGroup) return null;
  if (countsUntil !== null && new Date(countsUntil) <= new Date()) {
    return <p class="hint">by a group of your organization; suspended until the next sign-in there</p>;
  }
  if (edited) return <p class="hint">by a group of your organization, changed by an owner</p>;
  if (role !== groupRole) return <p class="hint">in no group that gives this any more; stays as the last owner</p>;
  return <p class="hint">by a group of your organization</p>;
}

function RoleOf({ member, onChange }: RoleOfProps) {
  const { name, role } = member;
  if (!may('admin')) return <>{role}</>;
  return (
    <>
      <select
        aria-label={`Role of ${name}`}
        value={role}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value as Role;
          // Shown as it is until the service has changed it.
          currentTarget.value = role;
          onChange(chosen);
        }}
      >
        {(Object.keys(ROLES) as Role[]).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <GroupHint member={member} />
    </>
  );
}
