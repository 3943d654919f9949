/** The problems of the account, the newest first. */
import type { Backsolve, Batch, ObjectiveGlance } from '../../../clients/typescript/src/index.ts';
import { nameOfProblem } from './problems.ts';
import { defineTool, fields, type Said } from './tool.ts';

const MOST = 20;

export const listProblems = defineTool({
  name: 'list_problems',
  title: 'List the problems',
  description:
    'Returns the newest problems of the account with their numbers: those with runs to make (next_inputs), and searches that people work at by hand, which can only be read.',
  schema: fields({}),
  isReadOnly: true,
  run: async ({ client }) => {
    const { body: batches } = await client.call('listBatches', { query: { limit: MOST, order: 'newest' } });
    const { body: objectives } = await client.call('listAllObjectives', {
      query: { limit: MOST, sort: 'changed', archived: 'exclude' },
    });
    return describe(batches, await withoutBatch(client, batches, objectives));
  },
});

/** Objectives that no listed batch created. */
async function withoutBatch(
  client: Backsolve,
  batches: readonly Batch[],
  objectives: readonly ObjectiveGlance[],
): Promise<readonly ObjectiveGlance[]> {
  const lists = await Promise.all(
    batches.map(({ id }) => client.call('listBatchObjectives', { path: { batch_id: id }, query: { limit: MOST } })),
  );
  const own = new Set(lists.flatMap(({ body }) => body.map(({ objectiveId }) => objectiveId)));
  return objectives.filter(({ id }) => !own.has(id));
}

const STOP_REASONS = ['running', 'satisfied', 'stopped', 'exhausted'] as const;

function describe(batches: readonly Batch[], others: readonly ObjectiveGlance[]): Said {
  const problems = batches.map((batch) => ({
    problem: batch.id,
    name: nameOfProblem(batch),
    status: batch.isPaused ? 'paused' : batch.status,
    solved: batch.progress.objectives.satisfied,
    searches: batch.progress.objectives.planned,
    isRunByService: batch.evaluator.kind !== 'pull',
    createdAt: batch.createdAt,
  }));
  const searches = others.map(({ id, modelName, projectName, number, stopReason, worstMiss, createdAt }) => ({
    problem: `objective ${id}`,
    name: `${modelName}, ${projectName}, objective ${number}`,
    status: STOP_REASONS[stopReason],
    worstMissInTolerances: worstMiss,
    createdAt,
  }));
  const lines = [
    ...problems.map(
      (one) =>
        `${one.problem}: ${one.name ?? 'without a name'} (${one.status}, ${one.solved} of ${one.searches} solved)`,
    ),
    ...searches.map(({ problem, name, status }) => `${problem}: ${name} (${status}, only to read)`),
  ];
  const text = lines.length === 0 ? 'There are no problems yet. Begin with state_problem.' : lines.join('\n');
  return { text, data: { problems, searches } };
}
