import { useState } from 'preact/hooks';
import type { AccountState } from '../../../../clients/typescript/src/index.ts';
import { Age } from '../../parts/age.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { signIn } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { Waits } from '../administration/parts/waits.tsx';
import type { SectionProps } from './section.ts';

const NUMBERS = ['Running', 'Met', 'Ended otherwise', 'Runs'];

/** The accounts of a person: of a course, what each student has reached. */
export function Accounts({ me }: SectionProps) {
  const live = useLive<readonly AccountState[]>(
    { read: (signal) => readAll('listMyAccounts', { signal }), pauseMs: PAUSE_MS },
    [],
  );
  const [isBusy, setBusy] = useState(false);
  const open = async (id: number) => {
    setBusy(true);
    // The page of another account is loaded again, there.
    history.replaceState(null, '', '/page');
    await signIn({ account: id });
    setBusy(false);
  };
  return (
    <>
      <p class="hint">The accounts that you are a member of, and what their objectives have reached.</p>
      <Waits live={live}>
        {(accounts) => (
          <ScrollBox label="Accounts">
            <table class="admin-table">
              <TableHead
                titles={['Account', 'Others who own it', 'Your role', ...NUMBERS, 'Last change']}
                numbers={NUMBERS}
                controls="Actions"
              />
              <tbody>
                {accounts.map(({ id, name, owners, role, objectives, runs, changedAt }) => (
                  <tr key={id}>
                    <th scope="row" class="admin-name">
                      <bdi>{name}</bdi>
                    </th>
                    <td class="admin-text">{owners.join(', ') || '–'}</td>
                    <td>{role}</td>
                    <td class="number">{objectives.running}</td>
                    <td class="number">{objectives.satisfied}</td>
                    <td class="number">{objectives.ended}</td>
                    <td class="number">{runs}</td>
                    <td>{changedAt === null ? '–' : <Age time={changedAt} />}</td>
                    <td class="admin-actions">
                      {id === me.account.id ? (
                        'this one'
                      ) : (
                        <button
                          type="button"
                          disabled={isBusy}
                          aria-label={`Open ${name}`}
                          onClick={() => void open(id)}
                        >
                          Open
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        )}
      </Waits>
    </>
  );
}
