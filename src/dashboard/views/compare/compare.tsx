/** Two to six objectives beside each other. */
import { useMemo } from 'preact/hooks';
import { type History, NotFoundError } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { saveCsv, saveJson } from '../../parts/export.ts';
import { Fault } from '../../parts/fault.tsx';
import { Link } from '../../shell/link.tsx';
import type { ViewProps } from '../../shell/router.ts';
import { service } from '../../shell/service.ts';
import { useLive } from '../../shell/use-live.ts';
import './compare.css';
import { BestInputs, BestOutputs } from './best-tables.tsx';
import { compare, FEWEST, MOST, readIds, runTable } from './comparison.ts';
import { DistanceChart } from './distance-chart.tsx';
import { TradeOff } from './trade-off.tsx';

const PAUSE_MS = 5_000;

export default function Compare({ place }: ViewProps) {
  const text = place.query.get('objectives');
  const ids = readIds(text);
  if (ids === undefined) {
    return (
      <EmptyState title="Choose what to compare">
        <p>
          Tick {FEWEST} to {MOST} objectives in the list, from any trials, and compare them.
        </p>
        <Link to="/page">Go to the objectives</Link>
      </EmptyState>
    );
  }
  return <Comparison key={ids.join()} ids={ids} />;
}

interface Known {
  readonly histories: readonly History[];
  readonly etags: readonly (string | undefined)[];
}

/** One after another: the browser opens few connections to one host, and other views need some. */
async function readAll(ids: readonly number[], signal: AbortSignal, known: Known | undefined): Promise<Known> {
  const histories: History[] = [];
  const etags: (string | undefined)[] = [];
  let isSame = known !== undefined;
  for (const [k, id] of ids.entries()) {
    const path = { objective_id: id };
    const answer = await service.call('getHistory', { path, ifNoneMatch: known?.etags[k], signal });
    isSame &&= answer.status === 304;
    histories.push(answer.status === 304 ? known!.histories[k]! : answer.body);
    etags.push(answer.status === 304 ? known!.etags[k] : (answer.headers.get('etag') ?? undefined));
  }
  // The same object avoids a redraw.
  return isSame ? known! : { histories, etags };
}

function Comparison({ ids }: { readonly ids: readonly number[] }) {
  const live = useLive<Known>({ read: (signal, known) => readAll(ids, signal, known), pauseMs: PAUSE_MS }, [
    ids.join(),
  ]);
  const known = live.value.value;
  const failure = live.failure.value;
  const compared = useMemo(() => known && compare(known.histories), [known]);
  if (failure instanceof NotFoundError) {
    return (
      <EmptyState title="An objective was not found">
        <p>{failure.detail} It may have been deleted.</p>
        <Link to="/page">Go to the objectives</Link>
      </EmptyState>
    );
  }
  if (compared === undefined) {
    return failure === undefined ? <p role="status">Loading…</p> : <Fault error={failure} />;
  }
  const thinned = compared.filter(({ head }) => head.every > 1);
  const table = () => runTable(compared);
  return (
    <div class="compare">
      <div class="compare-head">
        <h1>Compare {compared.length} objectives</h1>
        <span class="save-chart">
          <button type="button" onClick={() => saveCsv('compared runs', table().header, table().rows)}>
            Save CSV
          </button>
          <button type="button" onClick={() => saveJson('compared runs', known?.histories)}>
            Save JSON
          </button>
        </span>
      </div>
      {thinned.length > 0 && (
        <p class="notice">
          Too many runs to show all. For {thinned.map(({ label }) => label).join(' and ')} only one run in{' '}
          {Math.max(...thinned.map(({ head }) => head.every))} is shown, with the best, the first and the last.
        </p>
      )}
      <DistanceChart compared={compared} />
      <BestOutputs compared={compared} />
      <BestInputs compared={compared} />
      <TradeOff compared={compared} />
    </div>
  );
}
