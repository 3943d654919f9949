/** Starting points of tests: a database with an account, and a project with a loaded objective. */
import { connectTo } from '../../harness/database-handle.ts';
import { loadOutputCases } from '../../src/application/data/load-output-cases.ts';
import { createProject } from '../../src/application/problem/create-project.ts';
import { createModel } from '../../src/application/problem/manage-models.ts';
import { loadObjectives } from '../../src/application/search/load-objectives.ts';
import { getObjective } from '../../src/application/search/read-objectives.ts';
import { ensureAccount } from '../../src/db/accounts/accounts.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { Matrix } from '../../src/domain/matrix.ts';
import type { Inverse } from '../../src/domain/search/inverse.ts';
import type { NewObjective, ObjectiveWithInverses } from '../../src/domain/search/objective.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface TestAccount extends Pick<TestDatabase, 'url' | 'directUrl'> {
  readonly db: Db;
  readonly accountId: number;
  close(): Promise<void>;
}

/** Opens a fresh database with one account. Call `close` in a finally block or in afterAll. */
export async function openTestAccount(): Promise<TestAccount> {
  const database = await createTestDatabase();
  const db = connectTo(database.url, { poolSize: 10 });
  const accountId = await ensureAccount(db, 'test');
  const close = async () => {
    await db.destroy();
    await database.drop();
  };
  return { url: database.url, directUrl: database.directUrl, db, accountId, close };
}

/** The linear black box y = [x0 + x1, x0 - x1, 2 x0], solvable exactly. */
export const linear = (x: readonly number[]): number[] => [x[0]! + x[1]!, x[0]! - x[1]!, 2 * x[0]!];

/** Within 1 percent of the outputs at [3, 7]. */
export const LINEAR_OBJECTIVE: NewObjective = {
  objectives: linear([3, 7]),
  objectiveTypes: ['percent', 'percent', 'percent'],
  minimumBounds: [-1, -1, -1],
  maximumBounds: [1, 1, 1],
  desiredL1Norm: 0,
  convergence: 1e-6,
  initialInput: [5, 5],
  initialOutput: linear([5, 5]),
  maximumAttempts: 500,
};

/** Loads a model with a unique name, a project with two cases, their outputs and an objective. */
export async function loadLinearObjective(
  { db, accountId }: Pick<TestAccount, 'db' | 'accountId'>,
  change: Partial<NewObjective> = {},
) {
  const model = await createModel(db, accountId, { name: `model ${crypto.randomUUID()}`, description: null });
  const inputCases = [
    [0, 0],
    [10, 1],
  ];
  const project = await createProject(db, accountId, model.id, {
    name: 'linear',
    space: {
      inputCount: 2,
      minimums: [0, 0],
      maximums: [10, 10],
      inputTypes: ['float', 'float'],
      categories: [[], []],
    },
    inputCases: Matrix.from(inputCases),
    caseCount: null,
    outputCount: null,
  });
  const { trial, set } = await loadOutputCases(
    db,
    accountId,
    { projectId: project.id },
    {
      outputCount: 3,
      outputCases: Matrix.from(inputCases.map(linear)),
      failedCases: [],
    },
  );
  const objective = await loadObjectives(db, accountId, { trialId: trial.id }, { ...LINEAR_OBJECTIVE, ...change });
  return { model, project, trial, set, objective, path: { objectiveId: objective.id } };
}

/** Reads an objective with all its inverses, as polling does. */
export async function readObjective(
  { db, accountId }: Pick<TestAccount, 'db' | 'accountId'>,
  path: { readonly objectiveId: number },
): Promise<ObjectiveWithInverses> {
  const { objective, inverses } = await getObjective(db, accountId, path);
  const read: Inverse[] = [];
  for await (const batch of inverses) read.push(...batch);
  return { ...objective, inverses: read };
}
