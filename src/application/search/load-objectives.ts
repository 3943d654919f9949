/**
 * Loading objectives stores the definition, and its initial point as iteration 1, already completed; without one it starts from
 * the best case known. Initialize-inverse does the same, but while an objective with that definition is running it returns that
 * objective. An objective that continues another one stops it. Events: objectives.loaded, objective.satisfied when the initial
 * point satisfies everything, and objective.stopped for the continued one.
 */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { findProject } from '../../db/problem/projects.ts';
import { insertInverse, listAllInverses } from '../../db/search/inverses.ts';
import {
  findObjective,
  findRunningTwin,
  hasOpenObjectives,
  insertObjective,
  type NewObjectiveRow,
  updateObjective,
} from '../../db/search/objectives.ts';
import { readKnownCases, readOtherRuns } from '../../db/search/suggestions.ts';
import { type Jacobian, readJacobian } from '../../domain/data/jacobian.ts';
import type { Trial } from '../../domain/data/trial.ts';
import { DomainError, makeViolation, refuseViolations, validationFailed } from '../../domain/errors.ts';
import type { Matrix } from '../../domain/matrix.ts';
import { refField, refTerm } from '../../domain/messages.ts';
import { atNames } from '../../domain/problem/names.ts';
import type { Project } from '../../domain/problem/project.ts';
import { isNearer, type Miss, makeMissMeasure, type WeighedDefinition } from '../../domain/search/nearest.ts';
import { checkNewObjective, type NewObjective, type ObjectiveWithInverses } from '../../domain/search/objective.ts';
import { resolveObjective } from '../../domain/search/objective-by-name.ts';
import {
  checkObjectiveRegion,
  conditionsOf,
  hasLimits,
  isAdmissible,
  type ObjectiveLimits,
  readObjectiveLimits,
} from '../../domain/search/objective-limits.ts';
import { questOf } from '../../domain/search/quest.ts';
import { searchOptionsOf } from '../../domain/search/search-options.ts';
import { after, nothingReached } from '../../domain/search/standing.ts';
import { attemptsWithin, checkMaximumRuns } from '../../domain/search/stop-options.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { seedOf } from '../../domain/seed.ts';
import { type AccountLimits, refuseOverQuota, takeWithin } from '../accounts/account-limits.ts';
import { getTrial, lockTrialAt, refuseClosedTrial } from '../data/manage-trials.ts';
import type { TrialPath } from '../paths.ts';
import type { DesignEngine } from '../problem/designs.ts';
import { toObjectiveSpace } from '../problem/optimizer-space.ts';
import { recordEvents } from '../record-event.ts';
import { type InverseView, viewOf } from '../views.ts';
import { solutionEvents } from './change-search.ts';
import { findNearestCase, type NearestCase } from './judge-runs.ts';
import { stopObjective } from './stop-objective.ts';

/**
 * For a request whose limits on the inputs leave some (`refuseEmptyLimits`). One transaction, or part of one. Without limits the
 * account may have anything. Throws NOT_FOUND, TRIAL_CLOSED, VALIDATION_FAILED, LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function loadObjectives(
  db: Db | Trx,
  accountId: number,
  path: TrialPath,
  request: NewObjective,
  limits?: AccountLimits,
): Promise<ObjectiveWithInverses> {
  return inTransaction(db, async (trx) => {
    const trial = await lockTrialAt(trx, accountId, path);
    const checked = await toCheckedRow(trx, accountId, trial, request);
    await refuseBeyondLimits(trx, accountId, limits);
    return store(trx, accountId, checked);
  });
}

/** Throws NOT_FOUND, and what `refuseEmptyRegion` throws, for a request with limits on the inputs. */
export async function refuseEmptyLimits(
  { db, engine }: { readonly db: Db; readonly engine: DesignEngine },
  accountId: number,
  path: TrialPath,
  request: NewObjective,
): Promise<void> {
  if (request.fixedInputs == null && request.constraints == null) return;
  const trial = await getTrial(db, accountId, path);
  const project = await findProject(db, accountId, trial.projectId);
  if (project !== undefined) await refuseEmptyRegion(project, request, engine);
}

/**
 * One transaction. With the definition of a running objective it returns iteration 1 of that one, whatever the limits. Throws
 * what loadObjectives throws.
 */
export async function initializeInverse(
  db: Db,
  accountId: number,
  trialId: number,
  request: NewObjective,
  limits?: AccountLimits,
): Promise<InverseView> {
  return inTransaction(db, async (trx) => {
    const trial = await lockTrialAt(trx, accountId, { trialId });
    const checked = await toCheckedRow(trx, accountId, trial, request);
    const twin = await findRunningTwin(trx, accountId, trialId, checked.row, request.reuse);
    if (twin === undefined) await refuseBeyondLimits(trx, accountId, limits);
    const objective = twin ?? (await store(trx, accountId, checked));
    const inverses = await listAllInverses(trx, accountId, [objective.id]);
    return viewOf(objective, inverses[0]!);
  });
}

async function refuseBeyondLimits(trx: Trx, accountId: number, limits: AccountLimits | undefined): Promise<void> {
  await refuseManyOpen(trx, accountId, limits?.openObjectives ?? 0);
  await refuseOverQuota(trx, accountId, limits);
}

/** Throws LIMIT_REACHED when the account may not have another running objective; 0: any number. */
export async function refuseManyOpen(trx: Trx, accountId: number, maximumOpen: number): Promise<void> {
  const isBelow = async (limit: number) => limit === 0 || !(await hasOpenObjectives(trx, accountId, limit));
  if (await takeWithin(trx, accountId, maximumOpen, isBelow)) return;
  const message = `This account already has ${maximumOpen} running objectives, which is its limit; stop or delete one first.`;
  throw new DomainError('LIMIT_REACHED', message);
}

interface Checked {
  readonly row: NewObjectiveRow;
  /** Derivatives of the output that the search starts with. */
  readonly jacobian: Jacobian | null;
  readonly project: Project;
  readonly nearestCase: NearestCase;
}

async function toCheckedRow(trx: Trx, accountId: number, trial: Trial, sent: NewObjective): Promise<Checked> {
  refuseClosedTrial(trial.id, trial.status);
  const project = (await findProject(trx, accountId, trial.projectId))!;
  const set = (await findOutputCaseSet(trx, accountId, trial.outputCaseSetId))!;
  const { objective: request, named, violations } = resolveObjective(sent, project, set.outputCount);
  refuseViolations(violations);
  const { limits, violations: wrongLimits } = readObjectiveLimits(project, request);
  const context = { outputCount: set.outputCount, space: project };
  const tooFewRuns = checkMaximumRuns(request.stop, set.caseCount + 1);
  refuseViolations(atNames([...checkNewObjective(request, context), ...wrongLimits, ...tooFewRuns], named));
  const shape = { ...project, ...project.names, outputCount: set.outputCount };
  const read = readJacobian(request.initialJacobian ?? null, shape, ['initialJacobian']);
  refuseViolations(read.violations);
  const definition = { ...request, options: searchOptionsOf(request) };
  const { continues: continuesId = null, reuse = request.reusesByDefault ?? false } = request;
  if (continuesId !== null) await stopContinued(trx, accountId, trial, continuesId);
  const cases = { project, trialId: trial.id, revision: trial.revision, set };
  const nearestCase = await findNearestCase(trx, accountId, { ...definition, ...limits }, cases);
  const { initialInput, initialOutput } = request;
  const start =
    initialInput !== undefined && initialOutput !== undefined
      ? { initialInput, initialOutput }
      : await findStart(trx, { accountId, trialId: trial.id, reuse, continuesId }, definition, {
          project,
          limits,
          nearestCase,
        });
  const row = {
    ...definition,
    ...start,
    ...limits,
    reuse,
    continuesId,
    parallelism: request.parallelism ?? 1,
    holdBack: request.holdBack ?? true,
    batchId: request.batchId ?? null,
    maximumAttempts: attemptsWithin(request.maximumAttempts, request.stop, set.caseCount + 1),
    modelId: trial.modelId,
    projectId: trial.projectId,
    trialId: trial.id,
    dataRevision: trial.revision,
    stopReason: StopReason.running,
    seed: seedOf([
      request.objectives,
      request.objectiveTypes,
      request.minimumBounds,
      request.maximumBounds,
      project.seed,
    ]),
  };
  return { row, jacobian: read.jacobian, project, nearestCase };
}

/** Throws VALIDATION_FAILED unless the trial has the objective. One that has ended stays as it is. */
async function stopContinued(trx: Trx, accountId: number, trial: Trial, objectiveId: number): Promise<void> {
  const objective = await findObjective(trx, accountId, objectiveId);
  if (objective === undefined || objective.trialId !== trial.id || objective.disabledAt !== null) {
    const message = `must be the id of an objective of trial ${trial.id}, running or ended, is ${objectiveId}; list the objectives of the trial to find their ids.`;
    refuseViolations([makeViolation(['continues'], message)]);
  }
  await stopObjective(trx, accountId, { objectiveId }, { kind: 'continued' });
}

interface StartContext {
  readonly project: Project;
  readonly limits: ObjectiveLimits;
  readonly nearestCase: NearestCase;
}

/**
 * The best case known to the new objective: one that it may end with, if there is any, and of those the nearest. Throws
 * VALIDATION_FAILED when no run has succeeded.
 */
async function findStart(
  trx: Trx,
  learner: Parameters<typeof readOtherRuns>[1],
  definition: WeighedDefinition,
  { project, limits, nearestCase }: StartContext,
): Promise<Pick<NewObjectiveRow, 'initialInput' | 'initialOutput'>> {
  const best = new BestStart(definition, (input) => isAdmissible(project, limits, input));
  if (conditionsOf(project, limits).length > 0 || hasLimits(limits)) {
    const { inputCases, outputCases, failedCases } = await readKnownCases(trx, learner.accountId, learner.trialId);
    best.tryAll(inputCases, outputCases, new Set(failedCases));
  } else if (nearestCase.nearestCaseInput !== null) {
    best.try(nearestCase.nearestCaseInput, nearestCase.nearestCaseOutput!);
  }
  const others = await readOtherRuns(trx, learner);
  best.tryAll(others.inputs, others.outputs);
  if (best.found !== null) return best.found;
  const message = `is required with ${refField('initialOutput')}: no run of ${refTerm('this problem', 'this trial')} has succeeded yet, so there is no best case to start from.`;
  throw validationFailed([makeViolation(['initialInput'], message)]);
}

class BestStart {
  found: { readonly initialInput: readonly number[]; readonly initialOutput: readonly number[] } | null = null;
  #miss: Miss = { worst: Number.POSITIVE_INFINITY, sum: Number.POSITIVE_INFINITY, value: 0 };
  #isAdmissible = false;
  readonly #measure: ReturnType<typeof makeMissMeasure>;
  readonly #admits: (input: readonly number[]) => boolean;

  constructor(definition: WeighedDefinition, admits: (input: readonly number[]) => boolean) {
    this.#measure = makeMissMeasure(definition);
    this.#admits = admits;
  }

  try(input: readonly number[], output: readonly number[]): void {
    const miss = this.#measure.measure(output);
    const isNew = this.found === null || isNearer(miss, this.#miss);
    if (this.#isAdmissible && !isNew) return;
    const isAdmissible = this.#admits(input);
    if (isAdmissible === this.#isAdmissible ? !isNew : this.#isAdmissible) return;
    this.found = { initialInput: input, initialOutput: output };
    this.#miss = miss;
    this.#isAdmissible = isAdmissible;
  }

  /** Outputs of failed runs are NaN, or their rows are given. */
  tryAll(inputs: Matrix, outputs: Matrix, failed: ReadonlySet<number> = new Set()): void {
    for (let row = 0; row < outputs.rows; row++) {
      const output = outputs.row(row);
      if (!failed.has(row) && !Number.isNaN(output[0])) this.try(inputs.row(row), output);
    }
  }
}

/** Throws VALIDATION_FAILED when the limits of the objective leave no input, OVERLOADED. Runs the engine, so outside any transaction. */
export async function refuseEmptyRegion(project: Project, sent: NewObjective, engine: DesignEngine): Promise<void> {
  const { initialInput, fixedInputs } = sent.byName ?? {};
  const inputsByName = { ...(initialInput && { initialInput }), ...(fixedInputs && { fixedInputs }) };
  const resolved = resolveObjective({ ...sent, byName: inputsByName }, project, 0);
  const { objective: request, named } = resolved;
  const { limits, violations } = readObjectiveLimits(project, request);
  // Skips faulty definitions: their faults are reported later, together with everything else.
  if (
    resolved.violations.length > 0 ||
    violations.length > 0 ||
    !hasLimits(limits) ||
    conditionsOf(project, limits).length === 0
  )
    return;
  const { region } = await engine.design({
    space: toObjectiveSpace(project, limits, request.initialInput),
    outputCount: null,
    caseCount: 1,
    seed: project.seed,
  });
  if (region !== undefined) refuseViolations(atNames(checkObjectiveRegion(project, limits, region), named));
}

async function store(
  trx: Trx,
  accountId: number,
  { row, jacobian, project, nearestCase }: Checked,
): Promise<ObjectiveWithInverses> {
  const { initialInput: input, initialOutput: output, maximumAttempts } = row;
  const terms = { quest: questOf(row), definition: row, variables: [] };
  const run = { id: 0, iteration: 1, input, output };
  const change = { kind: 'output', run, isAdmissible: isAdmissible(project, row, input), isLate: false } as const;
  const { standing, status, isHit } = after(terms, nothingReached(maximumAttempts), change)!;
  const nearest = { ...nearestCase, nearestIteration: standing.nearest?.iteration ?? null, judgedThrough: 1 };
  const objectiveId = await insertObjective(trx, accountId, { ...row, ...nearest });
  const inverseId = await insertInverse(trx, accountId, {
    objectiveId,
    iteration: 1,
    status: status!,
    input,
    output,
    jacobian,
    isLoaded: true,
    isSatisfied: isHit,
  });
  const objective = await updateObjective(trx, objectiveId, {
    stopReason: standing.stopReason,
    optimalInverseId: standing.optimal === null ? null : inverseId,
  });
  const loaded = { name: 'objectives.loaded', resourceId: objectiveId } as const;
  await recordEvents(trx, accountId, [loaded, ...solutionEvents(objective, isHit)], objective);
  return { ...objective, inverses: await listAllInverses(trx, accountId, [objectiveId]) };
}
