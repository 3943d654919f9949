/** Keys, webhooks, evaluators and batches of the account. */
import type { ComponentType } from 'preact';
import { onDemand } from '../../parts/on-demand.tsx';
import { Link } from '../../shell/link.tsx';
import type { ViewProps } from '../../shell/router.ts';
import { may } from '../../shell/session.ts';
import './administration.css';
import { Batches } from './batches/batches.tsx';
import { Evaluators } from './evaluators/evaluators.tsx';
import { addressOf, readChoice, SECTIONS, type Section, type SectionProps } from './parts/choice.ts';
import { NeedsAdmin } from './parts/needs-admin.tsx';

const Keys = onDemand(async () => (await import('./keys/keys.tsx')).Keys);
const Webhooks = onDemand(async () => (await import('./webhooks/webhooks.tsx')).Webhooks);

const VIEWS: Readonly<Record<Section, ComponentType<SectionProps>>> = {
  keys: Keys,
  webhooks: Webhooks,
  evaluators: Evaluators,
  batches: Batches,
};

export default function Administration({ place }: ViewProps) {
  const isAdmin = may('admin');
  const choice = readChoice(place.query, isAdmin ? 'keys' : 'batches');
  const { show } = choice;
  const Shown = VIEWS[show];
  return (
    <>
      <h1>Administration</h1>
      <nav class="admin-tabs" aria-label="Sections of the administration">
        {(Object.keys(SECTIONS) as Section[]).map((section) => (
          <Link key={section} to={addressOf({ show: section })} current={section === show}>
            {SECTIONS[section]}
          </Link>
        ))}
      </nav>
      <div class="admin-section">
        <h2 class="visually-hidden">{SECTIONS[show]}</h2>
        {(show === 'keys' || show === 'webhooks') && !isAdmin ? (
          <NeedsAdmin section={show} />
        ) : (
          <Shown key={show} choice={choice} />
        )}
      </div>
    </>
  );
}
