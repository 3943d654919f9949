/**
 * A project fixes the input space and its input cases: the client's own, or those designed here. The design is a
 * function of the space, so that the same project entered twice gets the same cases.
 */
import { lockModel } from '../db/models.ts';
import { insertProject } from '../db/projects.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import { LISTED_VIOLATIONS, makeViolation, notFound, refuseViolations, type Violation } from '../domain/errors.ts';
import { checkInput, checkInputSpace, type InputSpace, type Project } from '../domain/project.ts';
import { seedOf } from '../domain/seed.ts';
import { withoutNegativeZero } from '../domain/vectors.ts';
import type { Engine } from '../engine/pool.ts';
import { fromMatrix, toOptimizerSpace } from './engine-input.ts';
import { refuseDisabled } from './paths.ts';
import { recordEvents } from './record-event.ts';

export interface NewProject {
  readonly name: string;
  readonly space: InputSpace;
  /** The client's own points, or null to have them designed. */
  readonly inputCases: readonly (readonly number[])[] | null;
  readonly caseCount: number | null;
  readonly outputCount: number | null;
}

/** All violations of a new project's body, so that a transport can report them together with its own. */
export function checkNewProject(project: NewProject): readonly Violation[] {
  const violations: Violation[] = [...checkInputSpace(project.space)];
  if (violations.length > 0 || project.inputCases === null) return violations;
  // Ten thousand wrong rows would take seconds to describe and nobody reads them.
  for (let i = 0; i < project.inputCases.length && violations.length < LISTED_VIOLATIONS; i++) {
    violations.push(...checkInput(project.space, project.inputCases[i]!, ['inputCases', i]));
  }
  if (project.caseCount !== null && project.caseCount !== project.inputCases.length) {
    const message = `must be the number of inputCases (${project.inputCases.length}) or be left out.`;
    violations.push(makeViolation(['caseCount'], message));
  }
  return violations;
}

/**
 * The project with its input cases, its own or designed ones; at most `maximumCases` of them, 0 for any number. Throws
 * VALIDATION_FAILED. No database.
 */
export async function withInputCases(
  engine: Pick<Engine, 'design'>,
  project: NewProject,
  maximumCases = 0,
): Promise<NewProject> {
  refuseViolations([...checkNewProject(project), ...checkCaseLimit(project, maximumCases)]);
  if (project.inputCases !== null) return project;
  const designed = await designCases(engine, project, seedOfProject(project));
  // In an order in which the first ones are a design of their own.
  return { ...project, inputCases: maximumCases === 0 ? designed : designed.slice(0, maximumCases) };
}

function checkCaseLimit({ inputCases, caseCount }: NewProject, maximumCases: number): readonly Violation[] {
  const count = inputCases?.length ?? caseCount ?? 0;
  if (maximumCases === 0 || count <= maximumCases) return [];
  const bound = `at most ${maximumCases} on this service, not ${count}.`;
  return [
    inputCases === null ? makeViolation(['caseCount'], `is ${bound}`) : makeViolation(['inputCases'], `are ${bound}`),
  ];
}

function seedOfProject(project: NewProject): number {
  return seedOf([project.space, project.outputCount, project.caseCount]);
}

/**
 * Throws NOT_FOUND for the model, VALIDATION_FAILED for the project. The design runs before the transaction. Event:
 * project.created.
 */
export async function createProject(
  deps: { readonly db: Db; readonly engine: Pick<Engine, 'design'> },
  accountId: number,
  modelId: number,
  project: NewProject,
): Promise<Project> {
  const { inputCases } = await withInputCases(deps.engine, project);
  return inTransaction(deps.db, async (trx) => {
    const model = await lockModel(trx, accountId, modelId);
    if (model === undefined) throw notFound('model', modelId);
    refuseDisabled(model, 'model');
    const created = await insertProject(trx, accountId, {
      ...project.space,
      modelId,
      name: project.name,
      outputCount: project.outputCount,
      inputCases: inputCases!.map(withoutNegativeZero),
      seed: seedOfProject(project),
    });
    await recordEvents(trx, accountId, [{ name: 'project.created', resourceId: created.id }]);
    return created;
  });
}

async function designCases(
  engine: Pick<Engine, 'design'>,
  project: NewProject,
  seed: number,
): Promise<readonly (readonly number[])[]> {
  const answer = await engine.design({
    space: toOptimizerSpace(project.space),
    outputCount: project.outputCount,
    caseCount: project.caseCount,
    seed,
  });
  if (!answer.ok) throw new Error(`the design of the input cases failed: ${answer.fault}`);
  return fromMatrix(answer.result.X, answer.result.count);
}
