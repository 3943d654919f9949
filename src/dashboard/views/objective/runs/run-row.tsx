import { type Head, stateOf } from '../../../../presentation/columns.ts';
import { isFit, judgedCount } from '../../../../presentation/distances.ts';
import { rough } from '../../../../presentation/formats.ts';
import { Menu } from '../../../parts/menu.tsx';
import { Link } from '../../../shell/link.tsx';
import { RowActions } from '../actions/row-actions.tsx';
import { targetAt } from '../corrections/correcting.ts';
import { type Axis, isInput, numberOf } from '../state/axes.ts';
import type { JudgedAll } from '../state/judged.ts';
import { keyAt, nameAt } from '../state/run-key.ts';
import { addressOf } from '../state/tabs.ts';
import { hasResult, RunState } from './run-state.tsx';

export interface RunRowProps {
  readonly judged: JudgedAll;
  readonly axes: readonly Axis[];
  /** Row of the columns. */
  readonly row: number;
  /** In the table, from 0. */
  readonly place: number;
  readonly isMarked: boolean;
}

export function RunRow({ judged: all, axes, row, place, isMarked }: RunRowProps) {
  const { run, distances, others } = all;
  const columns = run.columns.value;
  const head = run.head.value;
  const metCount = distances.value.metCounts[row]!;
  const judged = judgedCount(head);
  const source = others.value.sources[row];
  const name = nameAt(all, row);
  const address = addressOf(run.objectiveId, `runs/${keyAt(all, row)}`);
  return (
    <tr
      aria-rowindex={place + 2}
      class={isMarked ? 'run-marked' : source && 'run-other'}
      aria-current={isMarked ? 'true' : undefined}
    >
      <th scope="row" class="number">
        <Link to={address} keepsPlace>
          {source?.objectiveId === null ? source.name : columns.iterations[row]}
        </Link>
        {source !== undefined && <small>{source.from}</small>}
      </th>
      <td>
        <RunState all={all} row={row} address={address} />
      </td>
      <td class="number">
        {Number.isNaN(metCount) || judged === 0 ? '' : `${metCount}/${judged}`}
        <Miss isMisfit={isFit(head)} value={(isFit(head) ? columns.misfits : distances.value.worst)[row]!} />
      </td>
      {axes.map((axis) => (
        <ValueCell key={axis.key} axis={axis} row={row} missedBy={missedBy(all, axis.key, row)} />
      ))}
      <td>
        <Menu label={`Actions on ${name}`}>
          <Link to={address} keepsPlace>
            Open {name}
          </Link>
          {hasResult(stateOf(columns, row)) && (
            <RowActions
              name={name}
              isExcluded={columns.excluded[row] === 1}
              target={() => targetAt(run, row, source)}
            />
          )}
        </Menu>
      </td>
    </tr>
  );
}

/** Distance of the worst output from its target; for a fit, the distance of the run from the data. */
function Miss({ isMisfit, value }: { readonly isMisfit: boolean; readonly value: number }) {
  if (Number.isNaN(value) || (value === 0 && !isMisfit)) return null;
  return <small title={String(value)}>{rough(value)}</small>;
}

/** In the unit of the output, negative below what is wanted; 0 where it is met or nothing is wanted. */
function missedBy({ run }: JudgedAll, key: Axis['key'], row: number): number {
  const { l1Threshold, objectiveTypes } = run.head.value;
  const j = numberOf(key);
  // The sum of the differences counts, and the misfit of all values, not any value by itself.
  if (isInput(key) || l1Threshold !== null || objectiveTypes[j] === 'fit') return 0;
  const { misses, missedBy: by } = run.columns.value;
  if (!(misses[j]![row]! > 0)) return 0;
  // A value at a limit that is not part of its interval is missed by nothing.
  return by[j]![row]! || directionOf(run.head.value.intervals[j]!);
}

const directionOf = ({ upper }: Head['intervals'][number]) => (upper === null ? -Number.MIN_VALUE : Number.MIN_VALUE);

interface ValueCellProps {
  readonly axis: Axis;
  readonly row: number;
  readonly missedBy: number;
}

function ValueCell({ axis: { column, textOf }, row, missedBy: by }: ValueCellProps) {
  const value = column[row]!;
  if (Number.isNaN(value)) return <td />;
  if (by === 0) return <td class="number">{textOf(value)}</td>;
  const side = by > 0 ? 'above' : 'below';
  return (
    <td class="number run-missed" title={`${rough(Math.abs(by))} ${side} the target`}>
      <span aria-hidden="true" class="run-side">
        {by > 0 ? '▲' : '▼'}
      </span>
      <span class="visually-hidden">{side} the target: </span>
      {textOf(value)}
    </td>
  );
}
