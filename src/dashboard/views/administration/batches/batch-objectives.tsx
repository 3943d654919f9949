import { useState } from 'preact/hooks';
import type { BatchObjective } from '../../../../../clients/typescript/src/index.ts';
import { grouped, rough } from '../../../../presentation/formats.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { Link } from '../../../shell/link.tsx';
import { service } from '../../../shell/service.ts';
import { useLive } from '../../../shell/use-live.ts';
import { PAUSE_MS } from '../parts/read-list.ts';
import { Waits } from '../parts/waits.tsx';
import { bestInputText, type Look } from './progress.ts';

const PAGE_SIZE = 50;

interface Page {
  readonly objectives: readonly BatchObjective[];
  readonly hasMore: boolean;
}

interface BatchObjectivesProps {
  readonly batchId: number;
  readonly name: string;
}

/** The objectives of a batch with the best run of each, 50 at a time. */
export function BatchObjectives({ batchId, name }: BatchObjectivesProps) {
  const [after, setAfter] = useState(0);
  const live = useLive<Page>(
    {
      read: async (signal) => {
        const query = { limit: PAGE_SIZE, after: after === 0 ? undefined : after };
        const { body, headers } = await service.call('listBatchObjectives', {
          path: { batch_id: batchId },
          query,
          signal,
        });
        return { objectives: body, hasMore: headers.has('link') };
      },
      pauseMs: PAUSE_MS,
    },
    [batchId, after],
  );
  return (
    <Waits live={live}>
      {({ objectives, hasMore }) => (
        <>
          <ScrollBox label={`Objectives of ${name}`}>
            <table class="admin-table">
              <TableHead
                titles={['Position', 'Objective', 'State', 'Runs', 'Worst miss', 'Best input']}
                numbers={['Position', 'Runs', 'Worst miss']}
              />
              <tbody>
                {objectives.map((objective) => (
                  <ObjectiveRow key={objective.position} objective={objective} />
                ))}
              </tbody>
            </table>
          </ScrollBox>
          <p class="hint">
            Worst miss: the distance of the best run’s worst output from its interval. 1 is half the width of the
            interval; for a target without bounds, 1 % of the target.
          </p>
          {(after > 0 || hasMore) && (
            <p class="admin-actions">
              <button type="button" disabled={after === 0} onClick={() => setAfter(after - PAGE_SIZE)}>
                Previous {PAGE_SIZE}
              </button>
              <button type="button" disabled={!hasMore} onClick={() => setAfter(after + PAGE_SIZE)}>
                Next {PAGE_SIZE}
              </button>
            </p>
          )}
        </>
      )}
    </Waits>
  );
}

const STATES: Readonly<Record<NonNullable<BatchObjective['stopReason']>, readonly [text: string, look: Look]>> = {
  RUNNING: ['Running', 'busy'],
  SATISFIED: ['Satisfied', 'good'],
  STOPPED: ['Stopped', 'over'],
  EXHAUSTED: ['Exhausted', 'over'],
};

function ObjectiveRow({ objective }: { readonly objective: BatchObjective }) {
  const { position, objectiveId, stopReason, completedCount, worstMiss, failureReason } = objective;
  const waits = failureReason === null ? (['Waiting', 'over'] as const) : (['Failed', 'bad'] as const);
  const [text, look] = stopReason === null ? waits : STATES[stopReason];
  return (
    <tr>
      <td class="number">{position}</td>
      <th scope="row">
        {objectiveId === null ? '–' : <Link to={`/page/objectives/${objectiveId}`}>objective {objectiveId}</Link>}
      </th>
      <td>
        <span class={`badge ${look}`}>{text}</span>
        {failureReason !== null && (
          <p class="fault">
            <bdi>{failureReason}</bdi>
          </p>
        )}
      </td>
      <td class="number">{grouped(completedCount)}</td>
      <td class="number" title={worstMiss === null ? undefined : String(worstMiss)}>
        {worstMiss === null ? '–' : rough(worstMiss)}
      </td>
      <td class="admin-text" title={bestInputText(objective, String)}>
        <bdi>{bestInputText(objective) || '–'}</bdi>
      </td>
    </tr>
  );
}
