/** All objectives of the account: where they stand, and what they wait for. */
import { useSignal } from '@preact/signals';
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate, type ViewProps } from '../../shell/router.ts';
import { explain, service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { askForChange } from '../../shell/waiting.ts';
import { addressOf, type Choice, matches, readChoice, STATES, type State } from './choice.ts';
import { Glance } from './glance.tsx';
import './overview.css';

const PAGE_SIZE = 50;
const TREND_POINTS = 24;
/** In a large account something changes all the time. */
const PAUSE_MS = 2_000;
const [FEWEST_COMPARED, MOST_COMPARED] = [2, 6];

interface Known {
  readonly glances: readonly ObjectiveGlance[];
  readonly hasOlder: boolean;
  readonly etag: string | undefined;
}

async function readGlances(
  { state, after }: Choice,
  signal: AbortSignal,
  known: Known | undefined,
  isUrgent: boolean,
): Promise<Known> {
  const query = { limit: PAGE_SIZE, trend: TREND_POINTS, after, stopReason: state && STATES[state].stopReason };
  const ask = (prefer: string | undefined) =>
    service.call('listAllObjectives', { query, ifNoneMatch: known?.etag, prefer, signal });
  const answer = await askForChange(ask, { signal, isUrgent: isUrgent || known === undefined });
  if (answer.status === 304) return known!;
  const { body, headers } = answer;
  return { glances: body, hasOlder: headers.has('link'), etag: headers.get('etag') ?? undefined };
}

export default function Overview({ place }: ViewProps) {
  const choice = readChoice(place.query);
  const { value, failure } = useLive<Known>(
    { read: (signal, known, isUrgent) => readGlances(choice, signal, known, isUrgent), pauseMs: PAUSE_MS },
    [choice.state, choice.after],
  );
  const ticked = useSignal<readonly number[]>([]);
  const known = value.value;
  const isChosen = choice.state !== undefined || choice.find !== '' || choice.after !== undefined;
  if (known?.glances.length === 0 && !isChosen) return <NothingYet />;
  return (
    <>
      <div class="overview-head">
        <h1>Objectives</h1>
        <Controls choice={choice} />
        {may('write') && (
          <Link to="/page/new" class="button primary">
            New problem
          </Link>
        )}
      </div>
      {known === undefined ? (
        <p role="status">{failure.value === undefined ? 'Loading…' : explain(failure.value)}</p>
      ) : (
        <List known={known} choice={choice} ticked={ticked.value} onTicked={(ids) => (ticked.value = ids)} />
      )}
      <CompareBar ids={ticked.value} onClear={() => (ticked.value = [])} />
    </>
  );
}

/** Choosing again begins with the newest. */
function choose(choice: Choice, change: Partial<Choice>, replace = false): void {
  navigate(addressOf({ ...choice, after: undefined, ...change }), { replace });
}

function Controls({ choice }: { readonly choice: Choice }) {
  return (
    <search class="overview-controls">
      <input
        type="search"
        aria-label="Find by name"
        placeholder="Find by name"
        value={choice.find}
        onInput={({ currentTarget }) => choose(choice, { find: currentTarget.value, after: choice.after }, true)}
      />
      <select
        aria-label="State"
        value={choice.state ?? ''}
        onChange={({ currentTarget }) => choose(choice, { state: (currentTarget.value as State) || undefined })}
      >
        <option value="">All states</option>
        {Object.entries(STATES).map(([state, { label }]) => (
          <option key={state} value={state}>
            {label}
          </option>
        ))}
      </select>
    </search>
  );
}

interface ListProps {
  readonly known: Known;
  readonly choice: Choice;
  readonly ticked: readonly number[];
  onTicked(ids: readonly number[]): void;
}

function List({ known: { glances, hasOlder }, choice, ticked, onTicked }: ListProps) {
  const shown = glances.filter((glance) => matches(glance, choice.find));
  const oldest = glances.at(-1);
  return (
    <>
      <p class="hint" role="status">
        {countOf(shown.length, glances.length, choice)}
      </p>
      {shown.length === 0 && (
        <p>
          <Link to="/page">Show all objectives</Link>
        </p>
      )}
      <ul class="glances">
        {shown.map((glance) => (
          <Glance
            key={glance.id}
            glance={glance}
            isTicked={ticked.includes(glance.id)}
            canTick={ticked.includes(glance.id) || ticked.length < MOST_COMPARED}
            onTick={(isTicked) => onTicked(isTicked ? [...ticked, glance.id] : ticked.filter((id) => id !== glance.id))}
          />
        ))}
      </ul>
      {shown.some(({ worstMiss }) => worstMiss !== null && worstMiss > 0) && (
        <p class="hint">
          Worst miss: how far the worst output of the best run is from its interval. 1 is half the width of the
          interval; for a target without bounds, 1 % of the target.
        </p>
      )}
      <nav class="overview-pages" aria-label="Pages of objectives">
        {choice.after !== undefined && (
          <Link to={addressOf({ ...choice, after: undefined })} class="button">
            Newest
          </Link>
        )}
        {hasOlder && oldest !== undefined && (
          <Link to={addressOf({ ...choice, after: oldest.id })} class="button">
            Older
          </Link>
        )}
      </nav>
    </>
  );
}

function countOf(shown: number, all: number, { find, state }: Choice): string {
  const kind = state === undefined ? '' : `${STATES[state].label.toLowerCase()} `;
  const objectives = (count: number) => (count === 1 ? `1 ${kind}objective` : `${count} ${kind}objectives`);
  return find === '' ? objectives(shown) : `${shown} of the ${objectives(all)} listed here`;
}

function CompareBar({ ids, onClear }: { readonly ids: readonly number[]; onClear(): void }) {
  if (ids.length === 0) return null;
  return (
    <section class="compare-bar" aria-label="Compare">
      {ids.length < FEWEST_COMPARED ? (
        <span>Tick another objective to compare the two.</span>
      ) : (
        <Link to={`/page/compare?objectives=${ids.join(',')}`} class="button primary">
          Compare {ids.length} objectives
        </Link>
      )}
      <button type="button" onClick={onClear}>
        Clear
      </button>
    </section>
  );
}

function NothingYet() {
  return (
    <EmptyState title="No objectives yet">
      <p>
        An objective says which outputs you want from a simulation, a program or a test rig. Backsolve suggests the
        input to run next, and learns from each output that you load. It stops when all outputs are as you want them,
        and says when they seem out of reach.
      </p>
      {may('write') && (
        <p>
          <Link to="/page/new" class="button primary">
            New problem
          </Link>
        </p>
      )}
      <p class="hint">
        To see an example solved here, run <code>npx backsolve demo --url {location.origin} --key bks_…</code> with your
        API key.
      </p>
    </EmptyState>
  );
}
