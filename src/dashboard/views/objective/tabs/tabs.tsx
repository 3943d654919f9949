/** Links to the parts of an objective. */
import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../../../shell/link.tsx';
import type { Run } from '../state/history.ts';
import { addressOf, type TabName, tabsOf, titleOf } from '../state/tabs.ts';
import './tabs.css';

export function Tabs({ run, shown }: { readonly run: Run; readonly shown: TabName | undefined }) {
  const nav = useRef<HTMLElement>(null);
  const before = useRef(shown);
  // Another part begins at its top, also where the one before was scrolled.
  useEffect(() => {
    if (shown !== before.current && nav.current!.getBoundingClientRect().top < 0) nav.current!.scrollIntoView();
    before.current = shown;
  }, [shown]);
  return (
    <nav ref={nav} class="tabs" aria-label="Parts of this objective">
      {tabsOf(run.head.value).map((tab) => (
        <Link key={tab} to={addressOf(run.objectiveId, tab)} current={tab === shown} keepsPlace>
          {titleOf(tab)}
        </Link>
      ))}
    </nav>
  );
}
