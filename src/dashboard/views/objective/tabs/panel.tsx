/** The open part of an objective. Each is loaded when it is first opened. */
import type { FunctionComponent } from 'preact';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { onDemand } from '../../../parts/on-demand.tsx';
import { Notes } from '../../notes/notes-on-demand.ts';
import type { PartProps } from '../state/part.ts';
import { isFitted, type TabName } from '../state/tabs.ts';

const Charts = onDemand(async () => (await import('../charts/charts.tsx')).Charts);
const Fit = onDemand(async () => (await import('../fit/fit.tsx')).Fit);
const Front = onDemand(async () => (await import('../further/front.tsx')).Front);
const Further = onDemand(async () => (await import('../further/further.tsx')).Further);
const Insight = onDemand(async () => (await import('../insight/insight.tsx')).Insight);
const Log = onDemand(async () => (await import('../log/log.tsx')).Log);
const Runs = onDemand(async () => (await import('../runs/runs.tsx')).Runs);

const PARTS: Readonly<Record<TabName, FunctionComponent<PartProps>>> = {
  runs: Runs,
  charts: Charts,
  fit: ({ judged }) => <Fit run={judged.run} />,
  front: ({ judged }) => (
    <section aria-labelledby="front-title">
      <h2 id="front-title">Front</h2>
      <Front run={judged.run} />
    </section>
  ),
  insight: ({ judged: { run } }) => (
    <>
      <Insight run={run} />
      {/* They are about targets to meet; the service refuses them for a fit. */}
      {!isFitted(run.head.value) && <Further run={run} />}
    </>
  ),
  notes: ({ judged }) => <Notes run={judged.run} />,
  log: Log,
};

/** @param tab  undefined: the address names no part */
export function Panel({ tab, ...props }: PartProps & { readonly tab: TabName | undefined }) {
  if (tab === undefined) return <EmptyState title="There is nothing at this address">Choose a part above.</EmptyState>;
  const Part = PARTS[tab];
  return <Part {...props} />;
}
