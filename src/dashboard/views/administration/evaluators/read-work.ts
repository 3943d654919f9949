/** Running, waiting and failed evaluations. */
import type { Batch, Evaluation } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';
import { readAll, readNewest } from '../parts/read-list.ts';

/** Maximum number of waiting evaluations that are listed. */
const NEXT_COUNT = 20;
/** Failures are searched in this many of the newest batches, besides the open ones. */
const NEWEST_BATCHES = 50;
/** Failed evaluations are shown for this many of the newest batches with failures. */
const FAILED_BATCHES = 10;
const FAILED_COUNT = 50;

export interface Work {
  /** By the name of the evaluator, in alphabetical order. */
  readonly underWay: ReadonlyMap<string, readonly Evaluation[]>;
  readonly waitingCount: number;
  /** Number of these that belong to paused batches. */
  readonly pausedCount: number;
  readonly next: readonly Evaluation[];
  /** The newest first. */
  readonly failed: readonly Evaluation[];
  readonly batches: ReadonlyMap<number, Batch>;
  /** Failed evaluations by batch: read again only when their number changes. */
  readonly failedByBatch: ReadonlyMap<number, readonly Evaluation[]>;
}

export async function readWork(signal: AbortSignal, known: Work | undefined): Promise<Work> {
  const [leased, waiting, designing, solving, newest] = await Promise.all([
    readAll('listEvaluations', { query: { state: 'leased' }, signal }),
    service.call('listEvaluations', { query: { state: 'waiting', limit: NEXT_COUNT }, signal }),
    readAll('listBatches', { query: { status: 'evaluating-cases' }, signal }),
    readAll('listBatches', { query: { status: 'solving' }, signal }),
    readNewest('listBatches', NEWEST_BATCHES, { signal }),
  ]);
  const byId = new Map([...designing, ...solving, ...newest.items].map((batch) => [batch.id, batch]));
  const batches = [...byId.values()].sort((a, b) => b.id - a.id);
  const failedByBatch = await readFailed(batches, known?.failedByBatch, signal);
  const waitingOf = (some: readonly Batch[]) =>
    some.reduce((sum, { progress }) => sum + progress.evaluations.waiting, 0);
  return {
    underWay: byEvaluator(leased),
    waitingCount: waitingOf(batches),
    pausedCount: waitingOf(batches.filter(({ isPaused }) => isPaused)),
    next: waiting.body,
    failed: [...failedByBatch.values()]
      .flat()
      .sort((a, b) => (b.finishedAt ?? '').localeCompare(a.finishedAt ?? ''))
      .slice(0, FAILED_COUNT),
    batches: byId,
    failedByBatch,
  };
}

async function readFailed(batches: readonly Batch[], known: Work['failedByBatch'] | undefined, signal: AbortSignal) {
  const found = new Map<number, readonly Evaluation[]>();
  const withFailures = batches.filter(({ progress }) => progress.evaluations.failed > 0).slice(0, FAILED_BATCHES);
  for (const { id, progress } of withFailures) {
    const before = known?.get(id);
    const isKnown = before !== undefined && before.length === progress.evaluations.failed;
    const query = { state: 'failed', batch_id: id };
    found.set(id, isKnown ? before : await readAll('listEvaluations', { query, signal }));
  }
  return found;
}

/** An evaluation that the service sends to an evaluator has no evaluator name. */
function byEvaluator(evaluations: readonly Evaluation[]): Work['underWay'] {
  const names = evaluations.map(({ evaluator }) => evaluator ?? '').sort((a, b) => a.localeCompare(b));
  const entries = [...new Set(names)].map(
    (name) => [name, evaluations.filter(({ evaluator }) => (evaluator ?? '') === name)] as const,
  );
  return new Map(entries);
}
