import { may } from '../../../shell/session.ts';
import { type CorrectionTarget, correcting } from '../corrections/correcting.ts';
import './actions.css';

interface RowActionsProps {
  /** The run with its stored result. */
  target(): CorrectionTarget;
  readonly name: string;
  readonly isExcluded: boolean;
}

/** Controls at the end of a row of the table of runs. */
export function RowActions({ target, name, isExcluded }: RowActionsProps) {
  if (!may('write')) return null;
  const open = (kind: 'output' | 'exclude' | 'include') => {
    correcting.value = { target: target(), kind };
  };
  return (
    <span class="run-actions">
      <button type="button" aria-label={`Correct ${name}`} onClick={() => open('output')}>
        Correct…
      </button>
      <button
        type="button"
        aria-label={`${isExcluded ? 'Count' : 'Leave out'} ${name}${isExcluded ? ' again' : ''}`}
        onClick={() => open(isExcluded ? 'include' : 'exclude')}
      >
        {isExcluded ? 'Count again…' : 'Leave out…'}
      </button>
    </span>
  );
}
