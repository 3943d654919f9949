import type { ReportedInverse } from '../../../../../clients/typescript/src/index.ts';
import { correcting, ownTarget } from '../actions/correcting.ts';
import type { Run } from '../history.ts';

interface OutcomeProps {
  readonly run: Run;
  /** The run that was reported last, if any. */
  readonly outcome: ReportedInverse | undefined;
}

/** The outcome of the run that was just reported. */
export function Outcome({ run, outcome }: OutcomeProps) {
  const { bestIteration } = run.head.value;
  return (
    <div role="status">
      {outcome !== undefined && <p class="notice hand-outcome">{sentence(outcome, bestIteration)}</p>}
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

function sentence({ iteration, status, results }: ReportedInverse, bestIteration: number | null): string {
  if (status === 'failed') return `Run ${iteration} failed.`;
  const met = results.filter(({ satisfied }) => satisfied).length;
  return `${met} of ${results.length} met${bestIteration === iteration ? ', best so far' : ''}.`;
}
