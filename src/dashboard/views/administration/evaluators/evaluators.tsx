/** Running evaluations by evaluator, waiting ones and failed ones. */

import type { ComponentChildren } from 'preact';
import type { Batch, Evaluation } from '../../../../../clients/typescript/src/index.ts';
import { counted } from '../../../../presentation/formats.ts';
import { Age } from '../../../parts/age.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { Link } from '../../../shell/link.tsx';
import { useLive } from '../../../shell/use-live.ts';
import { addressOf } from '../parts/choice.ts';
import { projectName } from '../parts/project-names.ts';
import { PAUSE_MS } from '../parts/read-list.ts';
import { Waits } from '../parts/waits.tsx';
import { readWork, type Work } from './read-work.ts';

export function Evaluators() {
  const live = useLive<Work>({ read: readWork, pauseMs: PAUSE_MS }, []);
  return (
    <>
      <p class="hint">Evaluators run your program on the inputs that batches wait for.</p>
      <Waits live={live}>
        {(work) => (
          <>
            <UnderWay work={work} />
            <Waiting work={work} />
            <Failed work={work} />
          </>
        )}
      </Waits>
    </>
  );
}

function StartOne() {
  return (
    <p>
      Start an evaluator on any machine:{' '}
      <code>npx backsolve evaluate --url {location.origin} --key bks_… -- ./your-program</code>
    </p>
  );
}

function UnderWay({ work: { underWay, waitingCount, pausedCount, batches } }: { readonly work: Work }) {
  const evaluations = [...underWay.values()].flat();
  if (evaluations.length === 0) {
    return (
      <div class="admin-none" role="status">
        <p>
          <strong>No evaluation is under way.</strong>
        </p>
        {waitingCount > pausedCount ? (
          <StartOne />
        ) : (
          <p>
            {waitingCount > 0
              ? 'All waiting evaluations are in paused batches; resume one under '
              : 'None is waiting either. Evaluations come from batches; to create one, see '}
            <Link to={addressOf({ show: 'batches' })}>Batches</Link>.
          </p>
        )}
      </div>
    );
  }
  return (
    <>
      <h3>
        {counted(evaluations.length, 'evaluation')} under way on {counted(underWay.size, 'evaluator')}
      </h3>
      <EvaluationTable
        label="Evaluations under way"
        titles={['Evaluator', 'Since', 'Progress', 'Message']}
        batches={batches}
        evaluations={evaluations}
        cells={({ evaluator, claimedAt, progress, message, isPushed }) => (
          <>
            <th scope="row" class="admin-name">
              <EvaluatorName evaluator={evaluator} isPushed={isPushed} />
            </th>
            <td>{claimedAt === null ? '–' : <Age time={claimedAt} />}</td>
            <td>
              <Share progress={progress} />
            </td>
            <td class="admin-text">
              <bdi>{message ?? '–'}</bdi>
            </td>
          </>
        )}
      />
    </>
  );
}

function EvaluatorName({ evaluator, isPushed }: Pick<Evaluation, 'evaluator' | 'isPushed'>) {
  if (evaluator !== null) return <bdi>{evaluator}</bdi>;
  return isPushed ? 'called by the service' : '–';
}

function Share({ progress }: { readonly progress: number | null }) {
  if (progress === null) return <>–</>;
  return (
    <>
      <progress class="admin-share" max={1} value={progress} aria-hidden="true" /> {Math.floor(progress * 100)} %
    </>
  );
}

function Waiting({ work: { waitingCount, pausedCount, next, batches } }: { readonly work: Work }) {
  if (waitingCount === 0) return null;
  return (
    <>
      <h3>{counted(waitingCount, 'evaluation')} waiting</h3>
      <p class="hint">
        {waitingCount > next.length && `The next ${next.length} are listed. `}
        {pausedCount > 0 && `${counted(pausedCount, 'evaluation')} in paused batches are not handed out. `}
      </p>
      <EvaluationTable
        label="Evaluations waiting"
        titles={['Waiting since', 'Failed tries']}
        batches={batches}
        evaluations={next}
        cells={({ createdAt, failedTries, maximumTries }) => (
          <>
            <td>
              <Age time={createdAt} />
            </td>
            <td>
              {failedTries} of {maximumTries}
            </td>
          </>
        )}
      />
    </>
  );
}

function Failed({ work: { failed, batches } }: { readonly work: Work }) {
  if (failed.length === 0) return null;
  return (
    <>
      <h3>Failed</h3>
      <p class="hint">The newest {failed.length === 1 ? 'one' : failed.length} that will not be retried.</p>
      <EvaluationTable
        label="Failed evaluations"
        titles={['Failed', 'Evaluator', 'Reason']}
        batches={batches}
        evaluations={failed}
        cells={({ finishedAt, evaluator, failureReason, lostLeases, maximumLosses }) => (
          <>
            <td>{finishedAt === null ? '–' : <Age time={finishedAt} />}</td>
            <td class="admin-text">
              <bdi>{evaluator ?? '–'}</bdi>
            </td>
            <td class="admin-text">
              <bdi>{failureReason ?? (lostLeases >= maximumLosses ? `${lostLeases} lost leases` : '–')}</bdi>
            </td>
          </>
        )}
      />
    </>
  );
}

interface EvaluationTableProps {
  readonly label: string;
  readonly titles: readonly string[];
  readonly batches: ReadonlyMap<number, Batch>;
  readonly evaluations: readonly Evaluation[];
  readonly cells: (evaluation: Evaluation) => ComponentChildren;
}

/** A table of evaluations with their purposes. */
function EvaluationTable({ label, titles, batches, evaluations, cells }: EvaluationTableProps) {
  return (
    <ScrollBox label={label}>
      <table class="admin-table">
        <TableHead titles={[...titles, 'Project', 'For', 'Batch']} />
        <tbody>
          {evaluations.map((evaluation) => (
            <tr key={evaluation.id}>
              {cells(evaluation)}
              <td class="admin-text">
                <bdi>{projectName(evaluation.modelId, evaluation.projectId)}</bdi>
              </td>
              <td>
                <Subject evaluation={evaluation} />
              </td>
              <td class="admin-text">
                <Link to={addressOf({ show: 'batches', open: evaluation.batchId })}>
                  <bdi>{batches.get(evaluation.batchId)?.name ?? `batch ${evaluation.batchId}`}</bdi>
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Subject({ evaluation: { objectiveId, caseNumber } }: { readonly evaluation: Evaluation }) {
  if (objectiveId === null) return <>case {caseNumber}</>;
  return <Link to={`/page/objectives/${objectiveId}`}>objective {objectiveId}</Link>;
}
