/** All objectives of the account, their states and what they wait for. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate, type ViewProps } from '../../shell/router.ts';
import { explain, service } from '../../shell/service.ts';
import { may, session } from '../../shell/session.ts';
import { useLive } from '../../shell/use-live.ts';
import { askForChange } from '../../shell/waiting.ts';
import { ARCHIVED, addressOf, type Choice, readChoice, STATES, waitText } from './choice.ts';
import { folded, openFolded } from './folded.ts';
import { List } from './list.tsx';
import { Marks } from './marks.tsx';
import './overview.css';

const PAGE_SIZE = 50;
const TREND_POINTS = 24;
/** Limits the rate of reads in a large account, where something changes all the time. */
const PAUSE_MS = 2_000;
const FEWEST_COMPARED = 2;

interface Known {
  readonly glances: readonly ObjectiveGlance[];
  /** Older objectives follow after this id; undefined: there are none. */
  readonly olderAfter: number | undefined;
  readonly etag: string | undefined;
  /** On all pages. */
  readonly total: number;
}

async function readGlances(
  { state, after, find, sort, direction, isGrouped }: Choice,
  signal: AbortSignal,
  known: Known | undefined,
  isUrgent: boolean,
): Promise<Known> {
  const query = {
    limit: PAGE_SIZE,
    trend: TREND_POINTS,
    after,
    stopReason: state === undefined || state === ARCHIVED ? undefined : STATES[state].stopReason,
    archived: state === ARCHIVED ? ('only' as const) : ('exclude' as const),
    sort,
    direction,
    grouped: isGrouped,
    folded: isGrouped && folded.value.length > 0 ? folded.value.join(',') : undefined,
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
    total: Number(headers.get('total-count')),
  };
}

export default function Overview({ place }: ViewProps) {
  const account = session.value?.account ?? '';
  // Before the first read, which needs it.
  useMemo(() => openFolded(account), [account]);
  const choice = readChoice(place.query);
  const { value, failure, refresh } = useLive<Known>(
    { read: (signal, known, isUrgent) => readGlances(choice, signal, known, isUrgent), pauseMs: PAUSE_MS },
    [addressOf({ ...choice, find: choice.find.trim() }), folded.value],
  );
  const ticked = useSignal<readonly number[]>([]);
  // Until there is an answer to another choice, the former list stays, and with it the focus.
  const former = useRef<Known | undefined>(undefined);
  const known = value.value ?? former.current;
  former.current = known;
  const isChosen = choice.state !== undefined || choice.find !== '' || choice.after !== undefined;
  if (value.value?.total === 0 && !isChosen) return <NothingYet />;
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
        <p role="status">{failure.value !== undefined ? explain(failure.value) : waitText(choice)}</p>
      ) : (
        <List
          {...known}
          choice={choice}
          isOutdated={value.value === undefined}
          ticked={ticked.value}
          onTicked={(ids) => (ticked.value = ids)}
          onChange={refresh}
        />
      )}
      <Marks onChange={refresh} />
      <CompareBar ids={ticked.value} onClear={() => (ticked.value = [])} />
    </>
  );
}

/** Every new choice begins with the first page. */
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
        onChange={({ currentTarget }) =>
          choose(choice, { state: (currentTarget.value as Choice['state'] | '') || undefined })
        }
      >
        <option value="">All states</option>
        {Object.entries(STATES).map(([state, { label }]) => (
          <option key={state} value={state}>
            {label}
          </option>
        ))}
        <option value={ARCHIVED}>Archived</option>
      </select>
      <label class="overview-grouped">
        <input
          type="checkbox"
          checked={choice.isGrouped}
          onChange={({ currentTarget }) => choose(choice, { isGrouped: currentTarget.checked })}
        />
        By project
      </label>
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
      aria-label="Find by model, project, label or number"
      placeholder="Find an objective"
      maxLength={100}
      value={text}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
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
      <p>
        <Link to={addressOf({ ...readChoice(new URLSearchParams()), state: ARCHIVED })}>Archived objectives</Link>
      </p>
      <p class="hint">
        To see an example solved here, run <code>npx backsolve demo --url {location.origin} --key bks_…</code> with your
        API key.
      </p>
    </EmptyState>
  );
}
