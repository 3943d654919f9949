/** The batches of the account and their progress. */
import { useRef, useState } from 'preact/hooks';
import { type Batch, NotFoundError } from '../../../../../clients/typescript/src/index.ts';
import { Age } from '../../../parts/age.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { useSending } from '../../../parts/sending.ts';
import { Link } from '../../../shell/link.tsx';
import { navigate } from '../../../shell/router.ts';
import { service } from '../../../shell/service.ts';
import { may } from '../../../shell/session.ts';
import { useLive } from '../../../shell/use-live.ts';
import { addressOf, BATCH_STATUSES, type BatchStatus, type Choice, type SectionProps } from '../parts/choice.ts';
import { projectName } from '../parts/project-names.ts';
import { type Newest, PAUSE_MS, readNewest } from '../parts/read-list.ts';
import { Waits } from '../parts/waits.tsx';
import { BatchObjectives } from './batch-objectives.tsx';
import { barOf, evaluationsText, type Look } from './progress.ts';
import { SaveResults } from './save-results.tsx';

/** Shown initially, and added by each click on "Show more". */
const SHOWN = 20;

export function Batches({ choice }: SectionProps) {
  const { status } = choice;
  const { open } = choice;
  const count = useRef(SHOWN);
  const live = useLive<Newest<Batch>>(
    { read: (signal) => readBatches(count.current, { status, open }, signal), pauseMs: PAUSE_MS },
    [status, open],
  );
  const showMore = () => {
    count.current += SHOWN;
    live.refresh();
  };
  return (
    <>
      <div class="admin-head">
        <p class="hint">A batch works through objectives unattended, with the help of evaluators.</p>
        <select
          aria-label="Status"
          value={status ?? ''}
          onChange={({ currentTarget }) =>
            navigate(
              addressOf({
                show: 'batches',
                status: (currentTarget.value as BatchStatus) || undefined,
                open: undefined,
              }),
            )
          }
        >
          <option value="">All batches</option>
          {Object.entries(BATCH_STATUSES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Waits live={live}>
        {({ items, hasMore }) => (
          <BatchList batches={items} choice={choice} onChanged={live.refresh} onMore={hasMore ? showMore : undefined} />
        )}
      </Waits>
    </>
  );
}

/** The newest batches, always with the open one. */
async function readBatches(
  count: number,
  { status, open }: Pick<Choice, 'status' | 'open'>,
  signal: AbortSignal,
): Promise<Newest<Batch>> {
  const newest = await readNewest('listBatches', count, { query: { status }, signal });
  if (open === undefined || newest.items.some(({ id }) => id === open)) return newest;
  try {
    const { body } = await service.call('getBatch', { path: { batch_id: open }, signal });
    const isChosen = status === undefined || body.status === status;
    return isChosen ? { ...newest, items: [...newest.items, body] } : newest;
  } catch (error) {
    if (error instanceof NotFoundError) return newest;
    throw error;
  }
}

interface BatchListProps {
  /** The newest first. */
  readonly batches: readonly Batch[];
  readonly choice: Choice;
  onChanged(): void;
  /** undefined if there are no more. */
  readonly onMore: (() => void) | undefined;
}

function BatchList({ batches, choice, onChanged, onMore }: BatchListProps) {
  if (batches.length === 0) return <NoBatches status={choice.status} />;
  return (
    <>
      <ul class="admin-list">
        {batches.map((batch) => (
          <BatchItem key={batch.id} batch={batch} choice={choice} onChanged={onChanged} />
        ))}
      </ul>
      <p class="hint" role="status">
        {batches.length === 1 ? '1 batch' : `${batches.length} batches, newest first`}
      </p>
      {onMore !== undefined && (
        <button type="button" onClick={onMore}>
          Show more
        </button>
      )}
    </>
  );
}

function NoBatches({ status }: Pick<Choice, 'status'>) {
  return (
    <div class="admin-none" role="status">
      {status === undefined ? (
        <>
          <p>There are no batches yet.</p>
          <p>
            To search for many targets of one problem, choose “Start a batch…” in the menu of one of its{' '}
            <Link to="/page">objectives</Link>.
          </p>
          <p>
            To work through all target sets of a problem file:{' '}
            <code>npx backsolve batch FILE --url {location.origin} --key bks_…</code>. Programs can create batches, too;
            the <a href="/docs">Reference</a> has an example.
          </p>
        </>
      ) : (
        <p>
          No batch has the status “{BATCH_STATUSES[status]}”.{' '}
          <Link to={addressOf({ show: 'batches' })}>Show all batches</Link>
        </p>
      )}
    </div>
  );
}

const LOOKS: Readonly<Record<BatchStatus, Look>> = {
  'evaluating-cases': 'busy',
  solving: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'over',
};

interface BatchItemProps {
  readonly batch: Batch;
  readonly choice: Choice;
  onChanged(): void;
}

function BatchItem({ batch, choice, onChanged }: BatchItemProps) {
  const { id, status, isPaused, progress, failureReason, modelId, projectId, createdAt, finishedAt } = batch;
  const name = batch.name ?? `Batch ${id}`;
  const isOpen = choice.open === id;
  return (
    <li>
      <div class="admin-item-head">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <span class={`badge ${LOOKS[status]}`}>{BATCH_STATUSES[status]}</span>
        {isPaused && isRunning(batch) && <span class="badge over">Paused</span>}
      </div>
      <p class="hint">
        <bdi>{projectName(modelId, projectId)}</bdi> · created <Age time={createdAt} />
        {finishedAt !== null && (
          <>
            {' '}
            · ended <Age time={finishedAt} />
          </>
        )}
      </p>
      <ProgressBar batch={batch} />
      <p class="hint">{evaluationsText(progress.evaluations)}</p>
      {failureReason !== null && (
        <p class="fault">
          <bdi>{failureReason}</bdi>
        </p>
      )}
      <div class="admin-actions">
        <Link to={addressOf({ ...choice, open: isOpen ? undefined : id })} class="button">
          {isOpen ? 'Hide objectives' : 'Objectives'}
          <span class="visually-hidden"> of {name}</span>
        </Link>
        <SaveResults batchId={id} name={name} />
        {may('write') && isRunning(batch) && <Controls batch={batch} name={name} onChanged={onChanged} />}
      </div>
      {isOpen && <BatchObjectives batchId={id} name={name} />}
    </li>
  );
}

function isRunning({ status }: Batch): boolean {
  return status === 'evaluating-cases' || status === 'solving';
}

function ProgressBar({ batch }: { readonly batch: Batch }) {
  const { total, parts, text } = barOf(batch);
  const share = (count: number) => (total === 0 ? 0 : (100 * count) / total);
  let from = 0;
  return (
    <>
      <svg class="admin-progress" height="12" role="img" aria-label={text}>
        <rect width="100%" height="12" rx="3" />
        {parts.map(({ look, count }) => {
          const at = from;
          from += share(count);
          return count > 0 && <rect key={look} class={look} x={`${at}%`} width={`${share(count)}%`} height="12" />;
        })}
      </svg>
      <p>{text}</p>
    </>
  );
}

interface ControlsProps {
  readonly batch: Batch;
  readonly name: string;
  onChanged(): void;
}

function Controls({ batch: { id, isPaused }, name, onChanged }: ControlsProps) {
  const [isCancelling, setCancelling] = useState(false);
  const { isBusy, error, send } = useSending();
  const path = { batch_id: id };
  const toggle = async () => {
    if (await send(() => service.call(isPaused ? 'resumeBatch' : 'pauseBatch', { path }))) onChanged();
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void toggle()}>
        {isPaused ? 'Resume' : 'Pause'}
        <span class="visually-hidden"> {name}</span>
      </button>
      <button type="button" onClick={() => setCancelling(true)}>
        Cancel…<span class="visually-hidden"> {name}</span>
      </button>
      <Fault error={error} />
      {isCancelling && (
        <ConfirmDialog
          title="Cancel this batch?"
          action="Cancel the batch"
          onClose={() => setCancelling(false)}
          onConfirm={async () => {
            await service.call('cancelBatch', { path });
            setCancelling(false);
            onChanged();
          }}
        >
          <p>
            The running objectives of <bdi>{name}</bdi> are stopped and its evaluations cancelled. A cancelled batch
            cannot be resumed; to interrupt it, pause it instead.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
