/**
 * A project fixes the input space and its input cases: the client's own, or those designed here. The design is a
 * function of the space, so that the same project entered twice gets the same cases.
 */
import { lockModel } from '../db/models.ts';
import { insertProject } from '../db/projects.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import { type CaseLimits, checkCaseLimits, NO_CASE_LIMITS } from '../domain/case-limits.ts';
import { notFound, refuseViolations } from '../domain/errors.ts';
import { Matrix } from '../domain/matrix.ts';
import type { NewProject, ProjectWithCases } from '../domain/project.ts';
import { seedOf } from '../domain/seed.ts';
import { BYTES_PER_NUMBER, type StorageQuota } from '../domain/storage.ts';
import { toPositiveZero } from '../domain/vectors.ts';
import type { Engine } from '../engine/pool.ts';
import { refuseOverQuota } from './account-limits.ts';
import { toOptimizerSpace } from './engine-input.ts';
import { refuseDisabled } from './paths.ts';
import { recordEvents } from './record-event.ts';

/** The project with its input cases, its own or designed ones. Throws VALIDATION_FAILED past the limits. No database. */
export async function withInputCases(
  engine: Pick<Engine, 'design'>,
  project: NewProject,
  limits: CaseLimits = NO_CASE_LIMITS,
): Promise<NewProject> {
  const { inputCases, caseCount, space } = project;
  const field = inputCases === null ? 'caseCount' : 'inputCases';
  refuseViolations(checkCaseLimits(field, inputCases?.rows ?? caseCount ?? 0, space.inputCount, limits));
  if (inputCases !== null) return project;
  const designed = await designCases(engine, project, seedOfProject(project));
  // The first ones are a design of their own.
  const isLarge = limits.cases !== 0 && designed.rows > limits.cases;
  return { ...project, inputCases: isLarge ? Matrix.from(designed.toRows(0, limits.cases)) : designed };
}

function seedOfProject(project: NewProject): number {
  return seedOf([project.space, project.outputCount, project.caseCount]);
}

/**
 * Throws NOT_FOUND for the model, QUOTA_EXCEEDED. The design runs before the transaction. Event:
 * project.created.
 */
export async function createProject(
  deps: { readonly db: Db; readonly engine: Pick<Engine, 'design'> },
  accountId: number,
  modelId: number,
  project: NewProject,
  quota?: StorageQuota,
): Promise<ProjectWithCases> {
  const { inputCases } = await withInputCases(deps.engine, project);
  return inTransaction(deps.db, async (trx) => {
    const model = await lockModel(trx, accountId, modelId);
    if (model === undefined) throw notFound('model', modelId);
    refuseDisabled(model, 'model');
    const bytes = BYTES_PER_NUMBER * inputCases!.values.length;
    await refuseOverQuota(trx, accountId, quota, { bytes, rows: 1 });
    const created = await insertProject(trx, accountId, {
      ...project.space,
      modelId,
      name: project.name,
      outputCount: project.outputCount,
      inputCases: inputCases!,
      seed: seedOfProject(project),
    });
    await recordEvents(trx, accountId, [{ name: 'project.created', resourceId: created.id }]);
    return created;
  });
}

async function designCases(engine: Pick<Engine, 'design'>, project: NewProject, seed: number): Promise<Matrix> {
  const answer = await engine.design({
    space: toOptimizerSpace(project.space),
    outputCount: project.outputCount,
    caseCount: project.caseCount,
    seed,
  });
  if (!answer.ok) throw new Error(`the design of the input cases failed: ${answer.fault}`);
  const { count, X } = answer.result;
  return new Matrix(count, project.space.inputCount, X.map(toPositiveZero));
}
