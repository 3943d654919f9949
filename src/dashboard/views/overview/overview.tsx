/** All objectives of the account, their states and what they wait for. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate, type ViewProps } from '../../shell/router.ts';
import { explain, service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { askForChange } from '../../shell/waiting.ts';
import { addressOf, type Choice, countText, readChoice, STATES, type State } from './choice.ts';
import { Glance } from './glance.tsx';
import './overview.css';

const PAGE_SIZE = 50;
const TREND_POINTS = 24;
/** Limits the rate of reads in a large account, where something changes all the time. */
const PAUSE_MS = 2_000;
const [FEWEST_COMPARED, MOST_COMPARED] = [2, 6];

interface Known {
  readonly glances: readonly ObjectiveGlance[];
  /** Older objectives follow after this id; undefined: there are none. */
  readonly olderAfter: number | undefined;
  readonly etag: string | undefined;
  /** On all pages; undefined after a search. */
  readonly total: number | undefined;
}

async function readGlances(
  { state, after, find }: Choice,
  signal: AbortSignal,
  known: Known | undefined,
  isUrgent: boolean,
): Promise<Known> {
  const query = {
    limit: PAGE_SIZE,
    trend: TREND_POINTS,
    after,
    stopReason: state && STATES[state].stopReason,
    search: find.trim() === '' ? undefined : find.trim(),
  };
  const ask = (prefer: string | undefined) =>
    service.call('listAllObjectives', { query, ifNoneMatch: known?.etag, prefer, signal });
  const answer = await askForChange(ask, { signal, isUrgent: isUrgent || known === undefined });
  if (answer.status === 304) return known!;
  const { body, headers } = answer;
  const older = /[?&]after=(\d+)/.exec(headers.get('link') ?? '')?.[1];
  return {
    glances: body,
    olderAfter: older === undefined ? undefined : Number(older),
    etag: headers.get('etag') ?? undefined,
    total: Number(headers.get('total-count') ?? Number.NaN) || undefined,
  };
}

export default function Overview({ place }: ViewProps) {
  const choice = readChoice(place.query);
  const { value, failure } = useLive<Known>(
    { read: (signal, known, isUrgent) => readGlances(choice, signal, known, isUrgent), pauseMs: PAUSE_MS },
    [choice.state, choice.after, choice.find.trim()],
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
        <p role="status">
          {failure.value !== undefined ? explain(failure.value) : choice.find === '' ? 'Loading…' : 'Searching…'}
        </p>
      ) : (
        <List known={known} choice={choice} ticked={ticked.value} onTicked={(ids) => (ticked.value = ids)} />
      )}
      <CompareBar ids={ticked.value} onClear={() => (ticked.value = [])} />
    </>
  );
}

/** Every new choice begins with the newest. */
function choose(choice: Choice, change: Partial<Choice>, replace = false): void {
  navigate(addressOf({ ...choice, after: undefined, ...change }), { replace });
}

/** The delay after the last key, so that not every letter starts a search. */
const TYPING_MS = 250;

function Controls({ choice }: { readonly choice: Choice }) {
  return (
    <search class="overview-controls">
      <Find choice={choice} />
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

function Find({ choice }: { readonly choice: Choice }) {
  const [text, setText] = useState(choice.find);
  const sent = useRef(choice.find);
  const newest = useRef(choice);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  newest.current = choice;
  useEffect(() => {
    // Going back changes it from outside.
    if (choice.find !== sent.current) setText(choice.find);
    sent.current = choice.find;
  }, [choice.find]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onInput = (find: string) => {
    setText(find);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = find;
      choose(newest.current, { find }, true);
    }, TYPING_MS);
  };
  return (
    <input
      type="search"
      aria-label="Find by model, project or number"
      placeholder="Find by model, project or number"
      maxLength={100}
      value={text}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

interface ListProps {
  readonly known: Known;
  readonly choice: Choice;
  readonly ticked: readonly number[];
  onTicked(ids: readonly number[]): void;
}

function List({ known: { glances, olderAfter, total }, choice, ticked, onTicked }: ListProps) {
  // The service looks at a limited number at a time.
  const isCut = choice.find.trim() !== '' && olderAfter !== undefined && glances.length < PAGE_SIZE;
  return (
    <>
      <p class="hint" role="status">
        {countText(glances.length, total, choice)}
        {isCut && ' Older ones have not been searched yet.'}
      </p>
      {glances.length === 0 && (
        <p>
          {choice.find.trim() !== '' &&
            'Each word must be in the name of the model or the project, or in the number of the trial or the objective. '}
          {choice.state !== undefined && `Only ${STATES[choice.state].label.toLowerCase()} objectives are searched. `}
          <Link to="/page">Show all objectives</Link>
        </p>
      )}
      <ul class="glances">
        {glances.map((glance) => (
          <Glance
            key={glance.id}
            glance={glance}
            isTicked={ticked.includes(glance.id)}
            canTick={ticked.includes(glance.id) || ticked.length < MOST_COMPARED}
            onTick={(isTicked) => onTicked(isTicked ? [...ticked, glance.id] : ticked.filter((id) => id !== glance.id))}
          />
        ))}
      </ul>
      {glances.some(({ worstOutput }) => worstOutput !== null) && (
        <p class="hint">
          Off by: the distance of the best run’s worst output from its target, in the unit of the output. The lines show
          the worst miss of the best run so far, in tolerances.
        </p>
      )}
      <nav class="overview-pages" aria-label="Pages of objectives">
        {choice.after !== undefined && (
          <Link to={addressOf({ ...choice, after: undefined })} class="button">
            Newest
          </Link>
        )}
        {olderAfter !== undefined && (
          <Link to={addressOf({ ...choice, after: olderAfter })} class="button">
            {isCut ? 'Search older ones' : 'Older'}
          </Link>
        )}
      </nav>
    </>
  );
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
        An objective defines the outputs you want from a simulation, a program or a test rig. Backsolve suggests the
        input to run next and learns from each output you load. It stops when all outputs meet their targets, and warns
        you when they seem out of reach.
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
