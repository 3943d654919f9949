/** Finds problems by the names that agents use: the number of their batch, or that of an objective which has no batch. */
import { z } from 'zod';
import type { Backsolve, Batch, BatchObjective, ExplainedObjective } from '../../../clients/typescript/src/index.ts';
import { BacksolveError } from '../../../clients/typescript/src/index.ts';
import { ToolError } from './tool.ts';

const OBJECTIVE = /^objective (\d{1,15})$/;

export const problemNumber = z
  .int()
  .positive()
  .describe('The number of the problem, from state_problem or list_problems.');

export const anyProblem = z
  .union([problemNumber, z.string().regex(OBJECTIVE)], {
    error: 'must be a number, such as 5, or a text such as "objective 17", from list_problems',
  })
  .describe('The number of the problem, or a text such as "objective 17", both from list_problems.');

export interface FoundProblem {
  /** null for an objective that is named by itself. */
  readonly batch: Batch | null;
  /** The searches of the batch. */
  readonly searches: readonly BatchObjective[];
  /** The first of them; null while the designed cases are evaluated. */
  readonly objective: ExplainedObjective | null;
}

export async function findProblem(client: Backsolve, problem: number | string): Promise<FoundProblem> {
  if (typeof problem === 'number') return await findBatch(client, problem);
  const id = Number(OBJECTIVE.exec(problem)![1]);
  const { body: objective } = await orMissing(client.call('getObjective', { path: { objective_id: id } }), problem);
  return { batch: null, searches: [], objective };
}

async function findBatch(client: Backsolve, id: number): Promise<FoundProblem> {
  const batch = await readBatch(client, id);
  const path = { batch_id: id };
  const { body: searches } = await client.call('listBatchObjectives', { path, query: { limit: MOST_SEARCHES } });
  const objectiveId = searches[0]?.objectiveId ?? null;
  if (objectiveId === null) return { batch, searches, objective: null };
  const { body: objective } = await client.call('getObjective', { path: { objective_id: objectiveId } });
  return { batch, searches, objective };
}

const MOST_SEARCHES = 20;

export async function readBatch(client: Backsolve, id: number): Promise<Batch> {
  return (await orMissing(client.call('getBatch', { path: { batch_id: id } }), `problem ${id}`)).body;
}

/** Throws ToolError for what the account does not have. */
export async function orMissing<Answer>(answer: Promise<Answer>, what: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof BacksolveError) || error.status !== 404) throw error;
    throw new ToolError(`There is no ${what}. Call list_problems for those there are, or state_problem for a new one.`);
  }
}

export function isOpen({ status }: Pick<Batch, 'status'>): boolean {
  return status === 'evaluating-cases' || status === 'solving';
}

/** `x1`, `x2`, ... where the inputs have no names. */
export function inputNamesOf({ best, inverses, initialInput }: ExplainedObjective): readonly string[] {
  const named = best?.inputByName ?? inverses.find(({ inputByName }) => inputByName != null)?.inputByName;
  return named == null ? initialInput.map((_, i) => `x${i + 1}`) : Object.keys(named);
}

export function outputNamesOf({ best, inverses, objectives }: ExplainedObjective): readonly string[] {
  const named = best?.outputByName ?? inverses.find(({ outputByName }) => outputByName != null)?.outputByName;
  return named == null ? objectives.map((_, j) => `y${j + 1}`) : Object.keys(named);
}

/** A list of the interface by names. */
export function byName<Value>(names: readonly string[], values: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]));
}

/** Batches of agents are named after their targets as well, which tells searches of the same problem apart. */
export function writeBatchName(name: string, hash: string): string {
  return `${name} ${hash.slice(0, HASH_LENGTH)}`;
}

const HASH_LENGTH = 10;
const HASH = new RegExp(` [0-9a-f]{${HASH_LENGTH}}$`);

export function nameOfProblem({ name }: Pick<Batch, 'name'>): string | null {
  return name === null ? null : name.replace(HASH, '');
}
