import type { ReportedInverse } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { countMet, isFit, judgedCount } from '../../../../presentation/distances.ts';
import { correcting, ownTarget } from '../corrections/correcting.ts';
import type { Run } from '../state/history.ts';

interface OutcomeProps {
  readonly run: Run;
  /** The run that was reported last, if any. */
  readonly outcome: ReportedInverse | undefined;
}

/** The outcome of the run that was just reported. */
export function Outcome({ run, outcome }: OutcomeProps) {
  const head = run.head.value;
  return (
    <div role="status">
      {outcome !== undefined && <p class="notice hand-outcome">{sentence(outcome, head)}</p>}
      {outcome?.warnings.map((surprise) => (
        <p key={surprise.output} class="notice warning">
          {surprise.detail}{' '}
          <button
            type="button"
            onClick={() => {
              correcting.value = { target: ownTarget(run, outcome.iteration), kind: 'output' };
            }}
          >
            Correct…
          </button>
        </p>
      ))}
    </div>
  );
}

function sentence({ iteration, source, status, results }: ReportedInverse, head: Head): string {
  if (status === 'failed') return `Run ${iteration} failed.`;
  if (source !== null) return `Run ${iteration} of ${source} informs the search.`;
  const isBest = head.bestIteration === iteration;
  const judged = judgedCount(head);
  if (judged === 0)
    return isBest ? `The best ${isFit(head) ? 'fit ' : ''}so far.` : `Not the best ${isFit(head) ? 'fit ' : ''}so far.`;
  const met = countMet(head, (j) => results[j]!.satisfied);
  return `${met} of ${judged} met${isBest ? ', best so far' : ''}.`;
}
