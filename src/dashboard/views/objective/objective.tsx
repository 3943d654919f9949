/** One objective: how near its runs come, and what to do next. */
import { BacksolveError } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Link } from '../../shell/link.tsx';
import type { ViewProps } from '../../shell/router.ts';
import { explain } from '../../shell/service.ts';
import { Actions } from './actions/actions.tsx';
import { ByHand } from './by-hand/by-hand.tsx';
import { Diagnosis } from './diagnosis/diagnosis.tsx';
import { type Run, useRun } from './history.ts';
import { Insight } from './insight/insight.tsx';
import './objective.css';

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
  return (
    <div class="objective">
      <h1>{run.head.value.projectName}</h1>
      <div class="objective-pair">
        <div>Targets</div>
        <div class="objective-hand">
          <ByHand run={run} />
          <Actions run={run} />
          <Diagnosis run={run} />
        </div>
      </div>
      <Insight run={run} />
    </div>
  );
}
