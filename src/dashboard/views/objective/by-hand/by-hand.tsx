/** Running by hand: the next input, and a form for its outputs. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ReportedInverse, StopReason } from '../../../../../clients/typescript/src/index.ts';
import { type Columns, factAt, repeatText, rowOf, stateOf, vectorAt } from '../../../../presentation/columns.ts';
import { Fault } from '../../../parts/fault.tsx';
import { onDemand } from '../../../parts/on-demand.tsx';
import { watchDrafts } from '../../../shell/drafts.ts';
import { may, session } from '../../../shell/session.ts';
import { sharedDraftsOf } from '../../../shell/shared-drafts.ts';
import type { Run } from '../state/history.ts';
import { AskForMore } from './ask-for-more.tsx';
import { useAsking } from './asking.ts';
import { InputValues } from './input-values.tsx';
import { KeysHelp, useKeys } from './keys.tsx';
import { OpenInput } from './open-input.tsx';
import { Outcome } from './outcome.tsx';
import { OutputForm } from './output-form.tsx';
import { findOvertaken } from './overtaken.ts';
import { Result } from './result.tsx';
import { openTyped, type TypedOutputs } from './typed.ts';
import './by-hand.css';

const OvertakenCard = onDemand(async () => (await import('./overtaken-card.tsx')).OvertakenCard);

/** Older ones are found in the table of runs. */
const MAXIMUM_LATE = 10;

export function ByHand({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const columns = run.columns.value;
  const asking = useAsking(run);
  const typed = useTyped(run);
  const isSingle = head.parallelism === 1;
  const overtaken = findOvertaken(columns, typed.all.value, { takesLate: !isSingle });
  const [outcome, setOutcome] = useState<ReportedInverse | undefined>(undefined);
  const [showsKeys, setShowsKeys] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const isRunning = head.stopReason === StopReason.RUNNING;
  const open = head.openIterations.map((iteration) => rowOf(columns, iteration)).filter((row) => row >= 0);
  const waiting = open.filter((row) => stateOf(columns, row) === 'waiting');
  const isComputing = asking.isBusy.value || open.some((row) => stateOf(columns, row) === 'computing');
  const canWrite = may('write');

  /** Target of the focus after an action whose control disappears. */
  const follow = useRef<'first' | 'newest' | undefined>(undefined);
  useEffect(() => {
    if (follow.current === undefined || isComputing) return;
    const places = panel.current?.querySelectorAll<HTMLElement>('h3[data-follow]') ?? [];
    const place = follow.current === 'newest' ? [...places].at(-1) : undefined;
    follow.current = undefined;
    (place ?? panel.current?.querySelector<HTMLElement>('[data-follow]'))?.focus();
  }, [isComputing, waiting.length, isRunning]);

  const ask = (count: number | null) => {
    follow.current = 'newest';
    setOutcome(undefined);
    asking.ask(count);
  };
  const nextTitle = waiting.length > 1 ? 'Next inputs' : 'Next input';
  useKeys({
    n: () => {
      const { current } = panel;
      const target = current?.querySelector<HTMLElement>('[data-ask]') ?? current?.querySelector<HTMLElement>('input');
      if (target?.dataset['ask'] !== undefined) target.click();
      else target?.focus();
    },
    '?': () => setShowsKeys(true),
  });
  return (
    <section ref={panel} class="by-hand" aria-labelledby="by-hand-title">
      <h2 id="by-hand-title">{isRunning ? nextTitle : 'Result'}</h2>
      <Outcome run={run} outcome={outcome} />
      {!isRunning && <Result head={head} />}
      {canWrite &&
        overtaken.map((one) => <OvertakenCard key={one.inverseId} run={run} typed={typed} overtaken={one} />)}
      {waiting.map((row, i) => (
        <OpenInput
          isFirst={i === 0}
          key={columns.inverseIds[row]}
          run={run}
          typed={typed}
          inverseId={columns.inverseIds[row]!}
          iteration={columns.iterations[row]!}
          input={vectorAt(columns.inputs, row)!}
          repeated={repeatText(columns, row)}
          source={factAt(columns, 'sources', row)}
          onReported={(inverse) => {
            follow.current = 'first';
            setOutcome(inverse);
            run.refresh();
          }}
        />
      ))}
      {isRunning && isComputing && (
        <p role="status" class="hand-computing">
          Computing; this usually takes less than a second.
        </p>
      )}
      {isRunning && !isComputing && canWrite && (
        <NextInput isSingle={isSingle} openCount={open.length} room={head.parallelism - open.length} onAsk={ask} />
      )}
      {isRunning && !isComputing && !canWrite && waiting.length === 0 && <p>No run is open.</p>}
      <Fault error={asking.error.value} />
      {asking.notice.value !== undefined && (
        <p class="notice" role="status">
          {asking.notice.value}
        </p>
      )}
      {canWrite && !isSingle && <LateOutputs run={run} typed={typed} columns={columns} onReported={setOutcome} />}
      {showsKeys && <KeysHelp onClose={() => setShowsKeys(false)} />}
    </section>
  );
}

/** Outputs typed for the runs of this objective, shared with the other tabs of the browser. */
function useTyped(run: Run): TypedOutputs {
  // The account that opened the view, which may have signed out since.
  const account = useMemo(() => session.value?.account ?? '', [run]);
  const typed = useMemo(
    () => openTyped(sharedDraftsOf(account), run.objectiveId, run.head.value.objectives.length),
    [run, account],
  );
  useEffect(() => watchDrafts(account, typed.readAgain), [account, typed]);
  return typed;
}

interface NextInputProps {
  readonly isSingle: boolean;
  readonly openCount: number;
  /** Number of further inputs that may be open. */
  readonly room: number;
  onAsk(count: number | null): void;
}

function NextInput({ isSingle, openCount, room, onAsk }: NextInputProps) {
  if (!isSingle) return <AskForMore openCount={openCount} room={room} onAsk={onAsk} />;
  if (openCount > 0) return null;
  return (
    <p>
      <button type="button" class="primary big" data-ask data-follow onClick={() => onAsk(null)}>
        Ask for the next input
      </button>
    </p>
  );
}

interface LateOutputsProps {
  readonly run: Run;
  readonly typed: TypedOutputs;
  readonly columns: Columns;
  onReported(inverse: ReportedInverse): void;
}

/** Runs that were given up but may have finished anyway: their outputs are still useful. */
function LateOutputs({ run, typed, columns, onReported }: LateOutputsProps) {
  const drafts = typed.all.value;
  const isTyped = (row: number) => drafts.has(columns.inverseIds[row]!);
  const late: number[] = [];
  for (let row = columns.count - 1; row >= 0 && (late.length < MAXIMUM_LATE || drafts.size > 0); row--) {
    const isShown = late.length < MAXIMUM_LATE || isTyped(row);
    if (isShown && stateOf(columns, row) === 'given up' && vectorAt(columns.inputs, row) !== undefined) late.push(row);
  }
  if (late.length === 0) return null;
  return (
    // Outputs typed before the run was given up must stay visible.
    <details class="hand-late" open={late.some(isTyped)}>
      <summary>Late outputs ({late.length})</summary>
      <p class="hint">These runs were given up. If their outputs arrive late, they still inform the search.</p>
      {late.map((row) => (
        <article key={columns.inverseIds[row]} class="hand-card">
          <h3>Run {columns.iterations[row]}</h3>
          <InputValues head={run.head.value} input={vectorAt(columns.inputs, row)!} />
          <OutputForm
            run={run}
            typed={typed}
            inverseId={columns.inverseIds[row]!}
            iteration={columns.iterations[row]!}
            isLate
            onReported={(inverse) => {
              onReported(inverse);
              run.readAgain();
            }}
          />
        </article>
      ))}
    </details>
  );
}
