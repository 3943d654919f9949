import { may } from '../../../shell/session.ts';
import { rowOf, stateOf } from '../columns.ts';
import type { Run } from '../history.ts';
import { correcting } from './correcting.ts';
import './actions.css';

/** Controls at the end of a row of the table of runs. */
export function RowActions({ run, iteration }: { readonly run: Run; readonly iteration: number }) {
  const columns = run.columns.value;
  const row = rowOf(columns, iteration);
  if (!may('write') || row < 0) return null;
  const state = stateOf(columns, row);
  // Nothing is known that could be wrong.
  if (['computing', 'waiting', 'given up', 'summary'].includes(state)) return null;
  const isExcluded = columns.excluded[row] === 1;
  const open = (kind: 'output' | 'exclude' | 'include') => {
    correcting.value = { iteration, kind };
  };
  return (
    <span class="run-actions">
      <button type="button" aria-label={`Correct iteration ${iteration}`} onClick={() => open('output')}>
        Correct…
      </button>
      <button
        type="button"
        aria-label={`${isExcluded ? 'Count' : 'Leave out'} iteration ${iteration}${isExcluded ? ' again' : ''}`}
        onClick={() => open(isExcluded ? 'include' : 'exclude')}
      >
        {isExcluded ? 'Count again…' : 'Leave out…'}
      </button>
    </span>
  );
}
