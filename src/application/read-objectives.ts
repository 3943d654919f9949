import { disableTree } from '../db/disable.ts';
import { findExplanation } from '../db/explanations.ts';
import * as inverses from '../db/inverses.ts';
import * as objectives from '../db/objectives.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import type { StoredExplanation } from '../domain/explanation.ts';
import type { Inverse } from '../domain/inverse.ts';
import type { Objective, ObjectiveWithInverses } from '../domain/objective.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { getTrial } from './manage-trials.ts';
import { type InversePath, isAt, missingInPath, type ObjectivePath, placeOf, type TrialPath } from './paths.ts';
import type { StepView } from './views.ts';

/** An objective as a poll of it alone shows it. */
export interface ExplainedObjective extends ObjectiveWithInverses {
  /** null before the first suggestion. */
  readonly explanation: StoredExplanation | null;
}

export async function getObjective(db: Db, accountId: number, path: ObjectivePath): Promise<ExplainedObjective> {
  const objective = await getPlacedObjective(db, accountId, path);
  const explanation = (await findExplanation(db, accountId, objective.id)) ?? null;
  return { ...(await withInverses(db, accountId, objective)), explanation };
}

/** An objective with all its steps. */
export async function withInverses(
  db: Db | Trx,
  accountId: number,
  objective: Objective,
): Promise<ObjectiveWithInverses> {
  return { ...objective, inverses: await inverses.listAllInverses(db, accountId, [objective.id]) };
}

export async function listObjectives(
  db: Db,
  accountId: number,
  path: TrialPath,
  request: PageRequest,
): Promise<Page<ObjectiveWithInverses>> {
  await getTrial(db, accountId, path);
  const page = await objectives.listObjectives(db, accountId, path.trialId, request);
  const ids = page.items.map((objective) => objective.id);
  const steps = Map.groupBy(await inverses.listAllInverses(db, accountId, ids), (step) => step.objectiveId);
  return { ...page, items: page.items.map((item) => ({ ...item, inverses: steps.get(item.id) ?? [] })) };
}

/** Disables the objective and its steps; doing it again changes nothing. */
export async function deleteObjective(db: Db, accountId: number, path: ObjectivePath): Promise<void> {
  await getPlacedObjective(db, accountId, path);
  await inTransaction(db, (trx) => disableTree(trx, accountId, 'objectives', path.objectiveId));
}

export async function getInverse(db: Db, accountId: number, path: InversePath): Promise<StepView> {
  const inverse = await inverses.findInverse(db, accountId, path.inverseId);
  const objective = inverse && (await objectives.findObjective(db, accountId, inverse.objectiveId));
  if (inverse === undefined || objective === undefined || !isStepAt(path, objective)) {
    throw await missingInPath(db, accountId, path, { resource: 'inverse', id: path.inverseId });
  }
  return { objective, inverse };
}

export async function listInverses(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  request: PageRequest,
): Promise<{ readonly objective: Objective; readonly page: Page<Inverse> }> {
  const objective = await getPlacedObjective(db, accountId, path);
  return { objective, page: await inverses.listInverses(db, accountId, objective.id, request) };
}

function isStepAt(path: InversePath, objective: objectives.PlacedObjective): boolean {
  return isAt(path, { ...placeOf(objective), objectiveId: objective.id });
}

async function getPlacedObjective(db: Db, accountId: number, path: ObjectivePath): Promise<objectives.PlacedObjective> {
  const objective = await objectives.findObjective(db, accountId, path.objectiveId);
  if (objective === undefined || !isAt(path, placeOf(objective))) throw await missingObjective(db, accountId, path);
  return objective;
}

/** The objective of the path, locked. Throws NOT_FOUND, also for a deleted one. */
export async function lockObjectiveAt(
  trx: Trx,
  accountId: number,
  path: ObjectivePath,
): Promise<objectives.PlacedObjective> {
  const objective = await objectives.lockObjective(trx, accountId, path.objectiveId);
  if (objective === undefined || objective.disabledAt !== null || !isAt(path, placeOf(objective))) {
    throw await missingObjective(trx, accountId, path);
  }
  return objective;
}

function missingObjective(db: Db | Trx, accountId: number, path: ObjectivePath) {
  return missingInPath(db, accountId, path, { resource: 'objective', id: path.objectiveId });
}
