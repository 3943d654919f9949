import { short } from '../../../parts/formats.ts';
import { Link } from '../../../shell/link.tsx';
import { targetAt } from '../actions/correcting.ts';
import { RowActions } from '../actions/row-actions.tsx';
import { type Columns, factAt, type RunState, repeatText, stateOf } from '../columns.ts';
import type { Axis } from '../coordinates/axes.ts';
import { isFit, judgedCount } from '../distances.ts';
import type { JudgedAll } from '../judged.ts';
import type { RunSource } from '../others.ts';

const TEXTS: Readonly<Record<RunState, string>> = {
  met: 'met',
  loaded: 'loaded',
  waiting: 'waits for its output',
  computing: 'being computed',
  failed: 'failed',
  'given up': 'given up',
  summary: 'not run: the best input',
};

export interface RunRowProps {
  readonly judged: JudgedAll;
  readonly axes: readonly Axis[];
  /** Of the columns. */
  readonly row: number;
  /** In the table, from 0. */
  readonly place: number;
  readonly isMarked: boolean;
}

export function RunRow({ judged: { run, distances, others }, axes, row, place, isMarked }: RunRowProps) {
  const columns = run.columns.value;
  const iteration = columns.iterations[row]!;
  const metCount = distances.value.metCounts[row]!;
  const judged = judgedCount(run.head.value);
  const hasMisfit = isFit(run.head.value);
  const distance = (hasMisfit ? columns.misfits : distances.value.worst)[row]!;
  const source = others.value.sources[row];
  const { bestIteration, bestCaseNumber } = run.head.value;
  const bestNumber = source === undefined ? bestIteration : source.objectiveId === null ? bestCaseNumber : null;
  const isBest = iteration === bestNumber;
  const name = source?.name ?? `run ${iteration}`;
  const state = stateOf(columns, row);
  return (
    <tr
      aria-rowindex={place + 2}
      class={isMarked ? 'run-marked' : source && 'run-other'}
      aria-current={isMarked ? 'true' : undefined}
    >
      <th scope="row" class="number">
        {source?.objectiveId === null ? source.name : iteration}
      </th>
      <td>
        <From source={source} />
      </td>
      <td>
        <State columns={columns} row={row} source={source} isBest={isBest} />
      </td>
      <td class="number">{Number.isNaN(metCount) || judged === 0 ? '' : `${metCount}/${judged}`}</td>
      <td class="number" title={Number.isNaN(distance) ? undefined : String(distance)}>
        {distance === 0 && !hasMisfit ? 'met' : Number.isNaN(distance) ? '' : short(distance)}
      </td>
      {axes.map(({ key, column, textOf }) => {
        const value = column[row]!;
        return Number.isNaN(value) ? (
          <td key={key} />
        ) : (
          <td key={key} class="number" title={String(value)}>
            {textOf(value)}
          </td>
        );
      })}
      <td>
        {hasResult(state) && (
          <RowActions name={name} isExcluded={columns.excluded[row] === 1} target={() => targetAt(run, row, source)} />
        )}
      </td>
    </tr>
  );
}

/** Runs in other states have no result to correct. */
function hasResult(state: RunState): boolean {
  return state === 'met' || state === 'loaded' || state === 'failed';
}

function From({ source }: { readonly source: RunSource | undefined }) {
  if (source === undefined) return <>this objective</>;
  if (source.objectiveId === null) return <>{source.from}</>;
  return <Link to={`/page/objectives/${source.objectiveId}`}>{source.from}</Link>;
}

function State({
  columns,
  row,
  source,
  isBest,
}: {
  readonly columns: Columns;
  readonly row: number;
  /** undefined: a run of this objective. */
  readonly source: RunSource | undefined;
  readonly isBest: boolean;
}) {
  const known = stateOf(columns, row);
  // Another objective had other targets.
  const state = source !== undefined && known === 'met' ? 'loaded' : known;
  const reason = factAt(columns, 'failureReasons', row);
  const repeated = repeatText(columns, row);
  const note = factAt(columns, 'notes', row);
  const text = reason === undefined ? TEXTS[state] : `${TEXTS[state]}: ${reason}`;
  return (
    <span class="run-state">
      <span class={state === 'failed' ? 'unmet run-text' : state === 'met' ? 'met run-text' : 'run-text'} title={text}>
        {text}
      </span>
      {repeated !== undefined && (
        <span class="badge" title={`Runs the input of ${repeated} again`}>
          repeat
        </span>
      )}
      {note !== undefined && (
        <span class="badge" title={`${note} (${factAt(columns, 'notedBy', row)})`}>
          note
        </span>
      )}
      {isBest && <span class="badge">best</span>}
      {columns.corrected[row] === 1 && <span class="badge">corrected</span>}
      {columns.excluded[row] === 1 && <span class="badge">excluded</span>}
    </span>
  );
}
