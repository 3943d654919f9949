import { short } from '../../../parts/formats.ts';
import { RowActions } from '../actions/row-actions.tsx';
import { type Columns, type RunState, repeatText, stateOf } from '../columns.ts';
import type { Axis } from '../coordinates/axes.ts';
import type { Judged } from '../judged.ts';

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
  readonly judged: Judged;
  readonly axes: readonly Axis[];
  /** Of the columns. */
  readonly row: number;
  /** In the table, from 0. */
  readonly place: number;
  readonly isMarked: boolean;
}

export function RunRow({ judged: { run, distances }, axes, row, place, isMarked }: RunRowProps) {
  const columns = run.columns.value;
  const iteration = columns.iterations[row]!;
  const metCount = distances.value.metCounts[row]!;
  const distance = distances.value.worst[row]!;
  const isBest = iteration === run.head.value.bestIteration;
  return (
    <tr
      aria-rowindex={place + 2}
      class={isMarked ? 'run-marked' : undefined}
      aria-current={isMarked ? 'true' : undefined}
    >
      <th scope="row" class="number">
        {iteration}
      </th>
      <td>
        <State columns={columns} row={row} isBest={isBest} />
      </td>
      <td class="number">{Number.isNaN(metCount) ? '' : `${metCount}/${columns.outputs.length}`}</td>
      <td class="number" title={Number.isNaN(distance) ? undefined : String(distance)}>
        {distance === 0 ? 'met' : Number.isNaN(distance) ? '' : short(distance)}
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
        <RowActions run={run} iteration={iteration} />
      </td>
    </tr>
  );
}

function State({
  columns,
  row,
  isBest,
}: {
  readonly columns: Columns;
  readonly row: number;
  readonly isBest: boolean;
}) {
  const state = stateOf(columns, row);
  const iteration = columns.iterations[row]!;
  const reason = columns.failureReasons.get(iteration);
  const repeated = repeatText(columns, iteration);
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
      {isBest && <span class="badge">best</span>}
      {columns.corrected[row] === 1 && <span class="badge">corrected</span>}
      {columns.excluded[row] === 1 && <span class="badge">excluded</span>}
    </span>
  );
}
