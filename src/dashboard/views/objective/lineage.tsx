/** Links between an objective and the one that it was changed from, and those that it was changed to. */
import type { ReadonlySignal } from '@preact/signals';
import type { Others } from '../../../presentation/others.ts';
import { Link } from '../../shell/link.tsx';
import type { Run } from './state/history.ts';

interface LineageProps {
  readonly run: Run;
  readonly others: ReadonlySignal<Others>;
}

export function Lineage({ run, others }: LineageProps) {
  const { continues, continuedBy } = run.head.value;
  if (continues === null && continuedBy.length === 0) return null;
  const link = (id: number) => {
    const number = others.value.sources.find(({ objectiveId }) => objectiveId === id)?.objectiveNumber;
    return (
      <Link key={id} to={`/page/objectives/${id}`}>
        {number == null ? 'another objective' : `objective ${number}`}
      </Link>
    );
  };
  return (
    <p class="hint">
      {continues !== null && <>Its targets were changed from {link(continues)}. </>}
      {continuedBy.length > 0 && <>Its targets were changed to {continuedBy.map((id) => [' ', link(id)])}.</>}
    </p>
  );
}
