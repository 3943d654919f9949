import type { Invitation } from '../../../../clients/typescript/src/index.ts';
import { Age } from '../../parts/age.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { useSending } from '../../parts/sending.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { service } from '../../shell/service.ts';
import { useLive } from '../../shell/use-live.ts';
import { Moment } from '../administration/parts/moment.tsx';
import { PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { Waits } from '../administration/parts/waits.tsx';

/** It works again as soon as they may. */
const NOT_NOW = 'Whoever made it may not invite now';

/** Reason why an invitation admits no more people; undefined while it does. */
function endOf({ revokedAt, expiresAt, uses, maximumUses, isOpen }: Invitation, now: Date): string | undefined {
  if (revokedAt !== null) return 'Revoked';
  if (maximumUses !== null && uses >= maximumUses) return 'Used up';
  if (new Date(expiresAt) <= now) return 'Expired';
  return isOpen ? undefined : NOT_NOW;
}

export function Invitations() {
  const live = useLive<readonly Invitation[]>(
    { read: (signal) => readAll('listInvitations', { signal }), pauseMs: PAUSE_MS },
    [],
  );
  const sending = useSending();
  const revoke = ({ id }: Invitation) =>
    sending.send(async () => {
      await service.call('revokeInvitation', { path: { invitation_id: id } });
      live.refresh();
    });
  const now = new Date();
  return (
    <>
      <p class="hint">Links are shown only when they are made. Whoever has accepted one stays when it is revoked.</p>
      <Fault error={sending.error} />
      <Waits live={live}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p class="admin-none">Nobody has been invited yet. “Invite…” under “Members” makes a link.</p>
          ) : (
            <ScrollBox label="Invitations">
              <table class="admin-table">
                <TableHead titles={['For', 'Opens', 'Accepted', 'State', 'Made', 'Expires']} controls="Actions" />
                <tbody>
                  {invitations.toReversed().map((one) => {
                    const end = endOf(one, now);
                    const name = one.label ?? `invitation ${one.id}`;
                    return (
                      <tr key={one.id} class={end === undefined ? undefined : 'is-over'}>
                        <th scope="row" class="admin-name">
                          <bdi>{name}</bdi>
                        </th>
                        <td>{one.opens === 'this account' ? `this account, as ${one.role}` : one.opens}</td>
                        <td>
                          {one.uses}
                          {one.maximumUses !== null && ` of ${one.maximumUses}`}
                        </td>
                        <td>
                          <span class={`badge ${end === undefined ? 'good' : 'over'}`}>{end ?? 'Open'}</span>
                        </td>
                        <td>
                          <Age time={one.createdAt} />, <bdi>{one.createdBy}</bdi>
                        </td>
                        <td>
                          <Moment time={one.expiresAt} />
                        </td>
                        <td class="admin-actions">
                          {(end === undefined || end === NOT_NOW) && (
                            <button type="button" aria-label={`Revoke ${name}`} onClick={() => void revoke(one)}>
                              Revoke
                            </button>
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </ScrollBox>
          )
        }
      </Waits>
    </>
  );
}
