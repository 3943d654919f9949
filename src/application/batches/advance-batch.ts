/**
 * Does what a batch needs next, as often as something can be done immediately. Each pass reads the batch under its lock, plans
 * (domain/batches/batch.ts) and acts in one transaction, so that a worker may be killed at any moment and several may work on one batch.
 */
import {
  beginCases,
  beginInverses,
  cancelEvaluations,
  listEvaluatedCases,
} from '../../db/batches/batch-evaluations.ts';
import * as objectivesOf from '../../db/batches/batch-objectives.ts';
import { readBatchState } from '../../db/batches/batch-state.ts';
import * as batches from '../../db/batches/batches.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { appendInputCases, findProject, findProjectWithCases } from '../../db/problem/projects.ts';
import { updateObjective } from '../../db/search/objectives.ts';
import { type BatchAction, type BatchState, planBatch } from '../../domain/batches/batch.ts';
import { DomainError, type ErrorCode, isDiskFull } from '../../domain/errors.ts';
import { Matrix } from '../../domain/matrix.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { AccountLimits } from '../accounts/account-limits.ts';
import { loadOutputCases } from '../data/load-output-cases.ts';
import { type Designs, NEVER } from '../problem/designs.ts';
import { designFurtherCases } from '../problem/input-cases.ts';
import { loadObjectives, refuseEmptyRegion } from '../search/load-objectives.ts';
import { requestSuggestions } from '../search/request-suggestions.ts';
import { stopObjective } from '../search/stop-objective.ts';
import { requestSuggestion } from '../search/suggest.ts';
import { endBatch } from './manage-batches.ts';

export { BATCHES_CHANNEL, listOpenBatchIds, takeDueBatches } from '../../db/batches/batches.ts';
export { isDatabaseAway } from '../../db/connection/transaction.ts';

export interface AdvanceDeps {
  readonly db: Db;
  readonly designs: Pick<Designs, 'for'>;
  /** Limits of every account; default: none. */
  readonly limits?: AccountLimits | undefined;
}

export interface AdvanceOutcome {
  /**
   * - waiting: nothing can be done until something happens.
   * - going-on: there may be more to do immediately.
   * - busy: another worker has the batch.
   */
  readonly kind: 'waiting' | 'going-on' | 'busy';
  /** Actions done. */
  readonly done: number;
}

/** Refusals that may be over later; the batch is looked at again after this many seconds, or when something happens. */
const PAUSE_SECONDS: Partial<Readonly<Record<ErrorCode, number>>> = {
  QUEUE_FULL: 5,
  LIMIT_REACHED: 30,
  QUOTA_EXCEEDED: 30,
  OVERLOADED: 5,
};

/** Undefined unless the error is a refusal that may be over later. */
function pauseAfter(error: unknown): number | undefined {
  return error instanceof DomainError ? PAUSE_SECONDS[error.code] : undefined;
}

/** Whether a retry would fail too. Not for a full disk, which aborts the transaction anyway. */
function isFinalRefusal(error: unknown): error is DomainError {
  return error instanceof DomainError && pauseAfter(error) === undefined && !isDiskFull(error);
}

/** Maximum passes per call, so that one batch cannot monopolize a worker. */
const PASSES = 50;

/** Throws when the database is away; nothing is half done then. */
export async function advanceBatch(deps: AdvanceDeps, batchId: number): Promise<AdvanceOutcome> {
  let done = 0;
  let regions: Regions = new Map();
  for (let pass = 0; pass < PASSES; pass++) {
    const known = regions;
    const outcome = await inTransaction(deps.db, (trx) => advanceOnce(trx, deps, batchId, known));
    if (outcome === 'busy') return { kind: (await batches.isBatchOpen(deps.db, batchId)) ? 'busy' : 'waiting', done };
    done += outcome.done;
    if (outcome.pauseSeconds !== undefined) {
      await batches.postponeBatch(deps.db, batchId, outcome.pauseSeconds);
      return { kind: 'waiting', done };
    }
    if (outcome.toDesign !== undefined) await continueDesign(deps, batchId, outcome.toDesign);
    else if (outcome.unchecked !== undefined) regions = await checkRegions(deps, batchId, outcome.unchecked);
    else if (!outcome.mayGoOn) return { kind: 'waiting', done };
  }
  return { kind: 'going-on', done };
}

interface Done {
  readonly done: number;
  /** Set when something was refused that may be possible later. */
  readonly pauseSeconds?: number | undefined;
  /** Whether to plan again immediately: this pass may have freed capacity. */
  readonly mayGoOn?: boolean;
  /** Objectives whose time has come and whose region has to be looked at first. */
  readonly unchecked?: readonly objectivesOf.WaitingObjective[];
  /** Further cases, which have to be designed first. */
  readonly toDesign?: ContinuedDesign;
}

type ContinuedDesign = Extract<BatchAction, { readonly kind: 'continue-design' }>;

/** Faults of the regions of objectives, by position; undefined: none. */
type Regions = ReadonlyMap<number, string | undefined>;

function hasRegion({ definition: { fixedInputs = null, constraints = null } }: objectivesOf.WaitingObjective): boolean {
  return fixedInputs !== null || constraints !== null;
}

/** Runs the engine, so outside any transaction. */
async function checkRegions(
  { db, designs }: AdvanceDeps,
  batchId: number,
  waiting: readonly objectivesOf.WaitingObjective[],
): Promise<Regions> {
  const regions = new Map<number, string | undefined>();
  const owner = await batches.findOwner(db, batchId);
  const project = owner && (await findProject(db, owner.accountId, owner.projectId));
  if (project === undefined) return regions;
  const engine = designs.for(owner!.accountId, NEVER);
  for (const { position, definition } of waiting) {
    regions.set(position, await refusalOf(() => refuseEmptyRegion(project, definition, engine)));
  }
  return regions;
}

/**
 * Designs further cases, outside any transaction as it runs the engine, and adds them if all is as it was. A design is a function of the
 * project, so it does not matter which of several workers does so.
 */
async function continueDesign({ db, designs }: AdvanceDeps, batchId: number, asked: ContinuedDesign): Promise<void> {
  const owner = await batches.findOwner(db, batchId);
  const project = owner && (await findProjectWithCases(db, owner.accountId, owner.projectId));
  if (project?.caseCount !== asked.failed) return;
  const { accountId } = owner!;
  const further = await designFurtherCases(designs.for(accountId, NEVER), project, asked.count);
  await inTransaction(db, async (trx) => {
    if ((await batches.holdBatch(trx, batchId)) === undefined) return;
    if (further.rows === 0) await endBatch(trx, accountId, batchId, { status: 'failed', reason: asked.reason });
    else if (await appendInputCases(trx, project.id, project.caseCount, further))
      await objectivesOf.lowerAttempts(trx, batchId, further.rows);
  });
}

/** The message of a refusal by a rule; anything else is thrown. */
async function refusalOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isFinalRefusal(error)) return error.message;
    throw error;
  }
}

async function advanceOnce(trx: Trx, deps: AdvanceDeps, batchId: number, regions: Regions): Promise<Done | 'busy'> {
  const batch = await batches.holdBatch(trx, batchId);
  if (batch === undefined) return 'busy';
  const state = await readBatchState(trx, batchId);
  let done = 0;
  let mayGoOn = false;
  for (const action of state === undefined ? [] : planBatch(state)) {
    const outcome = await apply(trx, deps, batch, action, state!, regions);
    done += outcome.done;
    mayGoOn ||= outcome.mayGoOn === true;
    const { pauseSeconds, unchecked, toDesign } = outcome;
    if (pauseSeconds !== undefined || unchecked !== undefined || toDesign !== undefined)
      return { done, pauseSeconds, ...(unchecked && { unchecked }), ...(toDesign && { toDesign }) };
  }
  return { done, mayGoOn };
}

async function apply(
  trx: Trx,
  deps: AdvanceDeps,
  batch: batches.HeldBatch,
  action: BatchAction,
  state: BatchState,
  regions: Regions,
): Promise<Done> {
  const { accountId, id } = batch;
  switch (action.kind) {
    case 'cancel-orphans':
      // There is room for others.
      return { done: await cancelEvaluations(trx, id, 'orphans'), mayGoOn: true };
    case 'end':
      await endBatch(trx, accountId, id, action);
      return { done: 1 };
    case 'begin-cases':
      await lockRoom(trx, batch);
      await beginCases(trx, batch, state.cases.begun, action.count);
      return { done: 1 };
    case 'continue-design':
      return { done: 0, toDesign: action };
    case 'load-cases':
      return loadOrEnd(trx, deps, batch);
    case 'begin-inverses':
      return { done: await beginInverses(trx, id, Math.min(action.count, await lockRoom(trx, batch))) };
    case 'create-objectives':
      return createObjectives(
        trx,
        deps,
        batch,
        { ...action, isLast: action.count === state.waitingObjectives },
        regions,
      );
    case 'give-up-objective':
      await giveUpObjective(trx, batch, action);
      // It leaves its slots to others.
      return { done: 1, mayGoOn: true };
    case 'set-parallelism':
      await updateObjective(trx, action.objectiveId, { parallelism: action.parallelism });
      return { done: 1 };
    case 'request-suggestions':
      return request(trx, deps, batch, action);
  }
}

/** Number of evaluations that the project may still begin; other batches of the project then wait until this transaction is over. */
async function lockRoom(trx: Trx, { accountId, projectId, id }: batches.HeldBatch): Promise<number> {
  return (await batches.lockLimit(trx, accountId, projectId))
    ? ((await readBatchState(trx, id))?.room ?? 0)
    : Number.MAX_SAFE_INTEGER;
}

/** Cases that can never be loaded (a limit was lowered, for example) end the batch; otherwise it would be polled forever. */
async function loadOrEnd(trx: Trx, deps: AdvanceDeps, batch: batches.HeldBatch): Promise<Done> {
  try {
    await loadCases(trx, deps, batch);
    return { done: 1, mayGoOn: true };
  } catch (error) {
    const pauseSeconds = pauseAfter(error);
    if (pauseSeconds !== undefined) return { done: 0, pauseSeconds };
    if (!(error instanceof DomainError) || error.code !== 'VALIDATION_FAILED') throw error;
    const reason = `The evaluated cases cannot be loaded: ${error.message}`;
    await endBatch(trx, batch.accountId, batch.id, { status: 'failed', reason });
    return { done: 1 };
  }
}

/** The cases become output cases and a trial, on which the batch goes on. */
async function loadCases(trx: Trx, { limits }: AdvanceDeps, batch: batches.HeldBatch): Promise<void> {
  const { accountId, id, projectId, outputCount } = batch;
  const cases = await listEvaluatedCases(trx, id);
  const outputCases = Matrix.from(cases.map(({ output }) => output ?? new Array<number>(outputCount).fill(0)));
  const failedCases = cases.flatMap(({ output }, row) => (output === null ? [row] : []));
  const sent = { outputCount, outputCases, failedCases, jacobians: cases.map(({ jacobian }) => jacobian) };
  const { trial } = await loadOutputCases(trx, accountId, { projectId }, sent, limits);
  await batches.updateBatch(trx, id, { status: 'solving', trialId: trial.id });
}

/** Each asks for its first suggestion immediately. */
async function createObjectives(
  trx: Trx,
  deps: AdvanceDeps,
  batch: batches.HeldBatch,
  { count, isLast }: { readonly count: number; readonly isLast: boolean },
  regions: Regions,
): Promise<Done> {
  const waiting = await objectivesOf.listWaitingObjectives(trx, batch.id, count);
  let done = 0;
  // Those that have ended already, or are the last ones, leave slots to others.
  let mayGoOn = isLast;
  for (const one of waiting) {
    const { position, definition } = one;
    if (hasRegion(one) && !regions.has(position)) {
      return { done, unchecked: waiting.filter((other) => other.position >= position && hasRegion(other)) };
    }
    const refusal = regions.get(position);
    try {
      const outcome = refusal === undefined ? await create(trx, deps, batch, definition) : { failureReason: refusal };
      await objectivesOf.decideObjective(trx, batch.id, position, outcome);
      done += 1;
      if ('isRunning' in outcome && outcome.isRunning) {
        const { pauseSeconds } = await request(trx, deps, batch, {
          objectiveId: outcome.objectiveId,
          count: 1,
          isAlone: true,
        });
        if (pauseSeconds !== undefined) return { done, pauseSeconds };
      } else mayGoOn = true;
    } catch (error) {
      const pauseSeconds = pauseAfter(error);
      if (pauseSeconds === undefined) throw error;
      return { done, pauseSeconds };
    }
  }
  return { done, mayGoOn };
}

/** A refusal by a rule becomes the reason why there is no objective; one that may be over later is thrown. */
async function create(
  trx: Trx,
  { limits }: AdvanceDeps,
  { id, accountId, trialId }: batches.HeldBatch,
  definition: objectivesOf.WaitingObjective['definition'],
): Promise<{ readonly objectiveId: number; readonly isRunning: boolean } | { readonly failureReason: string }> {
  const path = { trialId: trialId! };
  // The number of its open inverses is decided together with the other objectives of the batch.
  const request = { ...definition, parallelism: 1, reuse: definition.reuse ?? true, batchId: id };
  try {
    const { id: objectiveId, stopReason } = await loadObjectives(trx, accountId, path, request, limits);
    return { objectiveId, isRunning: stopReason === StopReason.running };
  } catch (error) {
    if (isFinalRefusal(error)) return { failureReason: error.message };
    throw error;
  }
}

/** Event: objective.stopped. */
async function giveUpObjective(
  trx: Trx,
  { accountId, id }: batches.HeldBatch,
  { objectiveId, failedSuggestions }: { readonly objectiveId: number; readonly failedSuggestions: number },
): Promise<void> {
  await stopObjective(trx, accountId, { objectiveId }, { kind: 'not-computed' });
  const reason = `Stopped because ${failedSuggestions} suggestions in a row could not be computed`;
  await objectivesOf.noteGivenUp(trx, id, objectiveId, reason);
}

/** An objective that was deleted or has ended meanwhile is left alone: the next pass finds it so. */
async function request(
  trx: Trx,
  { limits }: AdvanceDeps,
  { accountId }: batches.HeldBatch,
  { objectiveId, count, isAlone }: Omit<Extract<BatchAction, { kind: 'request-suggestions' }>, 'kind'>,
): Promise<Done> {
  const options = { requestId: null, limits };
  try {
    if (isAlone) {
      await requestSuggestion(trx, accountId, { objectiveId }, options);
      return { done: 1 };
    }
    const { granted } = await requestSuggestions(trx, accountId, { objectiveId }, { ...options, count });
    return { done: granted };
  } catch (error) {
    if (!(error instanceof DomainError) || isDiskFull(error)) throw error;
    return { done: 0, pauseSeconds: pauseAfter(error) };
  }
}
