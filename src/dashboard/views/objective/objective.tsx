/** One objective: how near its runs come, and what to do next. */

import { useMemo } from 'preact/hooks';
import { BacksolveError } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { onDemand } from '../../parts/on-demand.tsx';
import { WhenIdle } from '../../parts/when-idle.tsx';
import { Link } from '../../shell/link.tsx';
import type { ViewProps } from '../../shell/router.ts';
import { explain } from '../../shell/service.ts';
import { Actions } from './actions/actions.tsx';
import { Advice } from './advice/advice.tsx';
import { ByHand } from './by-hand/by-hand.tsx';
import { makeChoice } from './choice.ts';
import { Diagnosis } from './diagnosis/diagnosis.tsx';
import { Distance } from './distance/distance.tsx';
import { Further } from './further/further.tsx';
import { Header } from './header.tsx';
import { type Run, useRun } from './history.ts';
import { judge, judgeAll } from './judged.ts';
import { Lineage } from './lineage.tsx';
import './objective.css';
import { useOthers } from './read-others.ts';
import { Standing } from './standing/standing.tsx';
import { Targets } from './targets/targets.tsx';

// Below what is seen first.
const Fit = onDemand(async () => (await import('./fit/fit.tsx')).Fit);
const Coordinates = onDemand(async () => (await import('./coordinates/coordinates.tsx')).Coordinates);
const Runs = onDemand(async () => (await import('./runs/runs.tsx')).Runs);
const Insight = onDemand(async () => (await import('./insight/insight.tsx')).Insight);

export default function ObjectiveView({ place }: ViewProps) {
  const { run, failure } = useRun(place.ids[0]!);
  if (run.value !== undefined) return <Shown run={run.value} />;
  if (failure.value === undefined) return <p role="status">Loading…</p>;
  const isMissing = failure.value instanceof BacksolveError && failure.value.status === 404;
  return (
    <EmptyState title={isMissing ? 'This objective does not exist or was deleted.' : 'The objective could not be read'}>
      {!isMissing && <p>{explain(failure.value)}</p>}
      <Link to="/page">Go to the objectives</Link>
    </EmptyState>
  );
}

function Shown({ run }: { readonly run: Run }) {
  const judged = useMemo(() => judge(run), [run]);
  const source = useOthers(run);
  const all = useMemo(() => judgeAll(judged, source.others), [judged, source]);
  const choice = useMemo(() => makeChoice(judged), [judged]);
  const { objectives, fits } = run.head.value;
  // Of a front there may be no distance to anything.
  const hasTarget = objectives.some((target) => target !== null);
  return (
    <div class="objective">
      <Header run={run} />
      <Lineage run={run} others={source.others} />
      <div class="objective-pair">
        <Targets judged={judged} />
        <div class="objective-hand">
          <ByHand run={run} />
          <Actions run={run} />
          <Standing run={run} />
          <Diagnosis run={run} />
          <Advice judged={all} />
        </div>
      </div>
      {fits != null && <Fit run={run} />}
      {hasTarget && <Distance judged={judged} others={source.others} />}
      <WhenIdle class="objective-below">
        {/* They are about targets to meet; the service refuses them for a fit. */}
        {fits == null && <Further run={run} />}
        <Coordinates judged={judged} choice={choice} />
        <Runs own={run} judged={all} source={source} choice={choice} />
        <Insight run={run} />
      </WhenIdle>
    </div>
  );
}
