/** People of the account, invitations, sessions, the accounts of a person, and what is the person's own. */
import type { ComponentType } from 'preact';
import type { Oneself } from '../../../../clients/typescript/src/index.ts';
import { Link } from '../../shell/link.tsx';
import type { ViewProps } from '../../shell/router.ts';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import '../administration/administration.css';
import { LONG_PAUSE_MS } from '../administration/parts/read-list.ts';
import { Waits } from '../administration/parts/waits.tsx';
import { Accounts } from './accounts.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { NameYourself } from './name-yourself.tsx';
import type { SectionProps } from './section.ts';
import { Sessions } from './sessions.tsx';
import { You } from './you.tsx';

interface Section {
  readonly title: string;
  readonly view: ComponentType<SectionProps>;
  isShown(me: Oneself): boolean;
}

const SECTIONS: Readonly<Record<string, Section>> = {
  members: { title: 'Members', view: Members, isShown: () => may('read') },
  invitations: { title: 'Invitations', view: Invitations, isShown: () => may('admin') },
  accounts: { title: 'Accounts', view: Accounts, isShown: ({ person }) => person !== null },
  sessions: { title: 'Sessions', view: Sessions, isShown: () => true },
  you: { title: 'You', view: You, isShown: ({ person }) => person !== null },
};

export default function People({ place }: ViewProps) {
  const live = useLive<Oneself>(
    { read: async (signal) => (await service.call('getMe', { signal })).body, pauseMs: LONG_PAUSE_MS },
    [],
  );
  return (
    <>
      <h1>People</h1>
      <Waits live={live}>
        {(me) => {
          const shown = Object.entries(SECTIONS).filter(([, section]) => section.isShown(me));
          const wanted = place.query.get('show');
          const [name, { title, view: View }] = shown.find(([one]) => one === wanted) ?? shown[0]!;
          return (
            <>
              {me.person === null && may('admin') && <NameYourself onNamed={live.refresh} />}
              <nav class="admin-tabs" aria-label="Sections of people">
                {shown.map(([one, section]) => (
                  <Link key={one} to={`/page/people?show=${one}`} current={one === name}>
                    {section.title}
                  </Link>
                ))}
              </nav>
              <div class="admin-section">
                <h2 class="visually-hidden">{title}</h2>
                <View key={name} me={me} refresh={live.refresh} />
              </div>
            </>
          );
        }}
      </Waits>
    </>
  );
}
