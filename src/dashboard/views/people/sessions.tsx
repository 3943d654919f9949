import type { PageSession } from '../../../../clients/typescript/src/index.ts';
import { Age } from '../../parts/age.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { useSending } from '../../parts/sending.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { Moment } from '../administration/parts/moment.tsx';
import { LONG_PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { Waits } from '../administration/parts/waits.tsx';
import { browserName } from './browser-name.ts';

const whoIs = ({ personName, keyLabel, keyId }: PageSession) => personName ?? keyLabel ?? keyId ?? 'sign-in link';

export function Sessions() {
  const live = useLive<readonly PageSession[]>(
    { read: (signal) => readAll('listSessions', { signal }), pauseMs: LONG_PAUSE_MS },
    [],
  );
  const sending = useSending();
  const end = ({ id }: PageSession) =>
    sending.send(async () => {
      await service.call('endSession', { path: { session_id: id } });
      live.refresh();
    });
  return (
    <>
      <p class="hint">
        {may('admin') ? 'Everybody who is signed in to this account.' : 'Where you are signed in to this account.'}{' '}
        Ending a session signs that browser out.
      </p>
      <Fault error={sending.error} />
      <Waits live={live}>
        {(sessions) => (
          <ScrollBox label="Sessions">
            <table class="admin-table">
              <TableHead titles={['Who', 'Browser', 'Signed in', 'Last used', 'Ends']} controls="Actions" />
              <tbody>
                {sessions.toReversed().map((one) => {
                  const browser = browserName(one.browser);
                  return (
                    <tr key={one.id}>
                      <th scope="row" class="admin-name">
                        <bdi>{whoIs(one)}</bdi>
                        {one.isOwn && <span class="hint"> (this browser)</span>}
                      </th>
                      <td title={one.browser ?? undefined}>{browser}</td>
                      <td>
                        <Age time={one.createdAt} />
                      </td>
                      <td>
                        <Age time={one.lastUsedAt} />
                      </td>
                      <td>
                        <Moment time={one.expiresAt} />
                      </td>
                      <td class="admin-actions">
                        <button
                          type="button"
                          aria-label={`End the session of ${whoIs(one)} in ${browser}, ${one.id}`}
                          onClick={() => void end(one)}
                        >
                          End
                        </button>
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </ScrollBox>
        )}
      </Waits>
    </>
  );
}
