/** One objective: the input to run and the targets, which stay, and beside them its parts. */

import { useEffect, useMemo } from 'preact/hooks';
import { BacksolveError } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate, type ViewProps } from '../../shell/router.ts';
import { explain } from '../../shell/service.ts';
import { Actions } from './actions/actions.tsx';
import { Advice } from './advice/advice.tsx';
import { ByHand } from './by-hand/by-hand.tsx';
import { useKeys } from './by-hand/keys.tsx';
import { Diagnosis } from './diagnosis/diagnosis.tsx';
import { Header } from './header.tsx';
import { Lineage } from './lineage.tsx';
import { makeChoice } from './state/choice.ts';
import { type Run, useRun } from './state/history.ts';
import { judge, judgeAll } from './state/judged.ts';
import './objective.css';
import { Standing } from './standing/standing.tsx';
import { useOthers } from './state/read-others.ts';
import { addressOf, firstTab, readPart, tabsOf, titleOf } from './state/tabs.ts';
import { Panel } from './tabs/panel.tsx';
import { Tabs } from './tabs/tabs.tsx';
import { Targets } from './targets/targets.tsx';

export default function ObjectiveView({ place }: ViewProps) {
  const { run, failure } = useRun(place.ids[0]!);
  if (run.value !== undefined) return <Shown run={run.value} part={place.part} />;
  if (failure.value === undefined) return <p role="status">Loading…</p>;
  const isMissing = failure.value instanceof BacksolveError && failure.value.status === 404;
  return (
    <EmptyState title={isMissing ? 'This objective does not exist or was deleted.' : 'The objective could not be read'}>
      {!isMissing && <p>{explain(failure.value)}</p>}
      <Link to="/page">Go to the objectives</Link>
    </EmptyState>
  );
}

function Shown({ run, part }: { readonly run: Run; readonly part: string }) {
  const judged = useMemo(() => judge(run), [run]);
  const source = useOthers(run);
  const all = useMemo(() => judgeAll(judged, source.others), [judged, source]);
  const choice = useMemo(() => makeChoice(judged), [judged]);
  // Chosen once: a part that changes while it is read disturbs.
  const first = useMemo(() => firstTab(run.head.peek(), run.columns.peek()), [run]);
  const { tab: named, rest } = readPart(part);
  const tab = named === '' ? first : tabsOf(run.head.value).find((one) => one === named);
  const { projectName } = run.head.value;
  useEffect(() => {
    const shown = rest === '' ? tab && titleOf(tab) : `Run ${rest}`;
    document.title = `${projectName}${shown === undefined ? '' : `, ${shown}`} – Backsolve`;
  }, [projectName, tab, rest]);
  useEffect(() => {
    // Somebody has asked for them.
    if (globalThis.Notification?.permission !== 'granted') return undefined;
    const watching = import('../links/notify.ts').then(({ watchRun }) => watchRun(run));
    return () => void watching.then((stop) => stop());
  }, [run]);
  useKeys({
    '/': () => {
      choice.seeksRun.value = true;
      if (tab !== 'runs' || rest !== '') navigate(addressOf(run.objectiveId, 'runs'), { keepsPlace: true });
    },
  });
  return (
    <div class="objective">
      <Header run={run} />
      <Lineage run={run} others={source.others} />
      <div class="panes">
        <div class="pane-kept">
          <ByHand run={run} />
          <Targets judged={judged} />
          <Actions run={run} />
          <Diagnosis run={run} />
          <Advice judged={all} />
          <Standing run={run} />
        </div>
        <div class="pane-part">
          <Tabs run={run} shown={tab} />
          <Panel tab={tab} judged={judged} all={all} source={source} choice={choice} rest={rest} />
        </div>
      </div>
    </div>
  );
}
