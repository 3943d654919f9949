/** Links to the parts of an objective. */
import { Link } from '../../../shell/link.tsx';
import type { Run } from '../history.ts';
import { addressOf, type TabName, tabsOf, titleOf } from './tabs.ts';
import './tabs.css';

export function Tabs({ run, shown }: { readonly run: Run; readonly shown: TabName | undefined }) {
  return (
    <nav class="tabs" aria-label="Parts of this objective">
      {tabsOf(run.head.value).map((tab) => (
        <Link key={tab} to={addressOf(run.objectiveId, tab)} current={tab === shown} keepsPlace>
          {titleOf(tab)}
        </Link>
      ))}
    </nav>
  );
}
