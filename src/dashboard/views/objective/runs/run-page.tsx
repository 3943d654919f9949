/** One run at an address of its own: all that is known of it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Inverse } from '../../../../../clients/typescript/src/index.ts';
import { factAt, stateOf } from '../../../../presentation/columns.ts';
import { correctionText } from '../../../../presentation/correction-text.ts';
import { isFit } from '../../../../presentation/distances.ts';
import { dayAndTime, rough } from '../../../../presentation/formats.ts';
import type { RunSource } from '../../../../presentation/others.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Link } from '../../../shell/link.tsx';
import { explain, service } from '../../../shell/service.ts';
import { Notes } from '../../notes/notes-on-demand.ts';
import { RowActions } from '../actions/row-actions.tsx';
import { targetAt } from '../corrections/correcting.ts';
import { useCorrections } from '../log/read-records.ts';
import type { JudgedAll } from '../state/judged.ts';
import type { PartProps } from '../state/part.ts';
import { keyAt, nameAt, rowOfKey } from '../state/run-key.ts';
import { addressOf } from '../state/tabs.ts';
import { hasResult, RunState } from './run-state.tsx';
import { RunValues } from './run-values.tsx';

export function RunPage({ judged, all, source, choice, rest: key }: PartProps) {
  const { run: own } = judged;
  const [sought, setSought] = useState<'no' | 'yes' | { readonly error: unknown }>('no');
  const row = rowOfKey(all, key);
  useEffect(() => {
    choice.openedRun.value = key;
  }, [key]);
  // A thinned history left it out, or it does not exist.
  useEffect(() => {
    if (row >= 0 || !/^\d+$/.test(key)) return;
    own.find(Number(key)).then(
      () => setSought('yes'),
      (error: unknown) => setSought({ error }),
    );
  }, [key, row < 0]);
  if (row >= 0) return <Shown all={all} row={row} />;
  if (typeof sought === 'object') return <p class="fault">{explain(sought.error)}</p>;
  const isOver = sought === 'yes' || (!/^\d+$/.test(key) && source.isRead.value);
  if (!isOver) return <p role="status">Loading…</p>;
  return (
    <EmptyState title="There is no such run">
      <Link to={addressOf(own.objectiveId, 'runs')} keepsPlace>
        Go to all runs
      </Link>
    </EmptyState>
  );
}

interface ShownProps {
  readonly all: JudgedAll;
  readonly row: number;
}

function Shown({ all, row }: ShownProps) {
  const { run, others } = all;
  const columns = run.columns.value;
  const name = nameAt(all, row);
  const title = useRef<HTMLHeadingElement>(null);
  // The link that led here is gone.
  useEffect(() => title.current?.focus(), []);
  const origin = others.value.sources[row];
  // A case has none.
  const inverseId = columns.inverseIds[row]!;
  return (
    <section aria-labelledby="run-title">
      <div class="run-page-head">
        <h2 ref={title} id="run-title" tabIndex={-1}>
          {name.charAt(0).toUpperCase() + name.slice(1)}
        </h2>
        <Neighbours all={all} row={row} />
        {hasResult(stateOf(columns, row)) && (
          <RowActions name={name} isExcluded={columns.excluded[row] === 1} target={() => targetAt(run, row, origin)} />
        )}
      </div>
      <Facts all={all} row={row} />
      <RunValues head={run.head.value} columns={columns} row={row} />
      <Changes all={all} row={row} />
      {inverseId > 0 && <Notes run={run} on={{ objectiveId: origin?.objectiveId ?? run.objectiveId, inverseId }} />}
    </section>
  );
}

/** Earlier and later runs of the trial, in the order in which they became known. */
function Neighbours({ all, row }: ShownProps) {
  const { run } = all;
  const link = (to: number, text: string) =>
    to >= 0 &&
    to < run.columns.value.count && (
      <Link to={addressOf(run.objectiveId, `runs/${keyAt(all, to)}`)} keepsPlace>
        {text}: {nameAt(all, to)}
      </Link>
    );
  return (
    <nav class="field-row" aria-label="Other runs">
      {link(row - 1, 'Previous')}
      {link(row + 1, 'Next')}
      <Link to={addressOf(run.objectiveId, 'runs')} keepsPlace>
        All runs
      </Link>
    </nav>
  );
}

function Facts({ all, row }: ShownProps) {
  const { run, others, distances } = all;
  const columns = run.columns.value;
  const origin = others.value.sources[row];
  const inverse = useInverse(origin?.objectiveId ?? run.objectiveId, columns.inverseIds[row]!);
  const loadedAt = columns.loadedAt[row]!;
  const reason = factAt(columns, 'failureReasons', row);
  const worst = distances.value.worst[row]!;
  return (
    <dl class="run-facts">
      <dt>State</dt>
      <dd>
        <RunState all={all} row={row} />
      </dd>
      {reason !== undefined && <Fact name="Why it failed">{reason}</Fact>}
      <Fact name="From">
        <Origin source={origin} />
      </Fact>
      {inverse !== undefined && <Fact name="Suggested">{dayAndBy(inverse.createdAt, inverse.askedBy)}</Fact>}
      {!Number.isNaN(loadedAt) && (
        <Fact name="Loaded">{dayAndBy(loadedAt, factAt(columns, 'loadedBy', row) ?? null)}</Fact>
      )}
      {inverse?.failedAt != null && (
        <Fact name="Reported as failed">{dayAndBy(inverse.failedAt, inverse.loadedBy)}</Fact>
      )}
      {origin?.objectiveId === null && <Fact name="Loaded">not stated for cases</Fact>}
      {isFit(run.head.value) && !Number.isNaN(columns.misfits[row]!) && (
        <Fact name="Misfit">{rough(columns.misfits[row]!)}</Fact>
      )}
      {worst > 0 && <Fact name="Worst miss">{rough(worst)} times the allowed deviation</Fact>}
    </dl>
  );
}

function Origin({ source }: { readonly source: RunSource | undefined }) {
  if (source === undefined) return 'this objective';
  const { objectiveId, number, from } = source;
  return objectiveId === null ? from : <Link to={addressOf(objectiveId, `runs/${number}`)}>{from}</Link>;
}

const dayAndBy = (at: string | number, by: string | null) =>
  `${dayAndTime(new Date(at))}${by === null ? '' : `, ${by}`}`;

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Reads the run for the time of its suggestion, which is not part of the history. undefined for a case, and until it is read. */
function useInverse(objectiveId: number, inverseId: number): Inverse | undefined {
  const [inverse, setInverse] = useState<Inverse | undefined>(undefined);
  useEffect(() => {
    if (Number.isNaN(inverseId)) return;
    const ended = new AbortController();
    const path = { objective_id: objectiveId, inverse_id: inverseId };
    service.call('getInverse', { path, signal: ended.signal }).then(
      ({ body }) => setInverse(body),
      // The page shows the rest.
      () => undefined,
    );
    return () => ended.abort();
  }, [objectiveId, inverseId]);
  return inverse;
}

/** List of the corrections, with their reasons. */
function Changes({ all, row }: ShownProps) {
  const { run, others } = all;
  const { found, failure } = useCorrections(run);
  const columns = run.columns.value;
  const isCase = others.value.sources[row]?.objectiveId === null;
  const inverseId = columns.inverseIds[row]!;
  const mine = (found.value ?? []).filter(({ target, isNote }) =>
    isCase ? target.caseNumber === columns.iterations[row] : target.inverseId === inverseId && !isNote,
  );
  if (failure.value !== undefined) return <p class="fault">{explain(failure.value)}</p>;
  if (mine.length === 0) return null;
  return (
    <>
      <h3>What was changed</h3>
      <ul>
        {mine.map((one) => (
          <li key={one.id}>
            {dayAndTime(new Date(one.createdAt))}, {one.correctedBy}: {correctionText(run.head.value, one)};{' '}
            {one.reason}
          </li>
        ))}
      </ul>
    </>
  );
}
