import type { ReportedInverse } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../shown/columns.ts';
import { correcting, ownTarget } from '../actions/correcting.ts';
import type { Run } from '../history.ts';

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

function sentence(
  { iteration, source, status, results }: ReportedInverse,
  { bestIteration, objectiveTypes }: Head,
): string {
  if (status === 'failed') return `Run ${iteration} failed.`;
  if (source !== null) return `Run ${iteration} of ${source} informs the search.`;
  const isBest = bestIteration === iteration;
  // All values of a fit count together: none is met by itself.
  const judged = results.filter((_, j) => objectiveTypes[j] !== 'fit');
  if (judged.length === 0) return isBest ? 'The best fit so far.' : 'Not the best fit so far.';
  const met = judged.filter(({ satisfied }) => satisfied).length;
  return `${met} of ${judged.length} met${isBest ? ', best so far' : ''}.`;
}
