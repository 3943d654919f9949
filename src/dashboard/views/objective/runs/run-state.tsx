/** The state of a run, in a few words. */
import {
  type Columns,
  factAt,
  repeatText,
  STATE_TEXTS,
  type RunState as State,
  stateOf,
} from '../../../../presentation/columns.ts';
import { Link } from '../../../shell/link.tsx';
import type { JudgedAll } from '../state/judged.ts';

/** Runs in other states have no result to correct. */
export function hasResult(state: State): boolean {
  return state === 'met' || state === 'loaded' || state === 'failed';
}

interface RunStateProps {
  readonly all: JudgedAll;
  readonly row: number;
  /** The page of the run, which has the whole reason of a failure; without it no reason follows. */
  readonly address?: string;
}

const LOOKS: Readonly<Partial<Record<State, string>>> = { failed: 'unmet run-text', met: 'met run-text' };

export function RunState({ all: { run, others }, row, address }: RunStateProps) {
  const columns = run.columns.value;
  const source = others.value.sources[row];
  const known = stateOf(columns, row);
  // Another objective had other targets.
  const state = source !== undefined && known === 'met' ? 'loaded' : known;
  const reason = factAt(columns, 'failureReasons', row);
  const text = reason === undefined || address === undefined ? STATE_TEXTS[state] : `${STATE_TEXTS[state]}: ${reason}`;
  const look = LOOKS[state] ?? 'run-text';
  return (
    <span class="run-state">
      {text === STATE_TEXTS[state] ? (
        <span class={look}>{text}</span>
      ) : (
        <Link to={address!} class={look} title={text} keepsPlace>
          {text}
        </Link>
      )}
      <Badges columns={columns} row={row} isBest={isBest({ run, others }, row)} />
    </span>
  );
}

function isBest({ run, others }: Pick<JudgedAll, 'run' | 'others'>, row: number): boolean {
  const source = others.value.sources[row];
  const { bestIteration, bestCaseNumber } = run.head.value;
  // A run of another objective is not the best of this one.
  if (source !== undefined && source.objectiveId !== null) return false;
  return run.columns.value.iterations[row] === (source === undefined ? bestIteration : bestCaseNumber);
}

interface BadgesProps {
  readonly columns: Columns;
  readonly row: number;
  readonly isBest: boolean;
}

function Badges({ columns, row, isBest }: BadgesProps) {
  const repeated = repeatText(columns, row);
  const note = factAt(columns, 'notes', row);
  const source = factAt(columns, 'sources', row);
  const badges: readonly (readonly [text: string, title?: string])[] = [
    ...(isBest ? [['best'] as const] : []),
    ...(source === undefined ? [] : [[source, 'A run of this cheaper source, which informs the search'] as const]),
    ...(repeated === undefined ? [] : [['repeat', `Runs the input of ${repeated} again`] as const]),
    ...(note === undefined ? [] : [['note', `${note} (${factAt(columns, 'notedBy', row)})`] as const]),
    ...(columns.corrected[row] === 1 ? [['corrected'] as const] : []),
    ...(columns.withJacobian[row] === 1 ? [['∂', 'Its derivatives were reported'] as const] : []),
    ...(columns.excluded[row] === 1 ? [['left out'] as const] : []),
  ];
  if (badges.length === 0) return null;
  return (
    <span class="run-badges">
      {badges.map(([text, title]) => (
        <span key={text} class="badge" title={title}>
          {text}
        </span>
      ))}
    </span>
  );
}
