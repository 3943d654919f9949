/** A small project to search, made through the client. */
import type { Backsolve } from '../../../clients/typescript/src/index.ts';

export const blackBox = ([a, b]: readonly number[]): number[] => [a! + b!, a! - b!];

/** A trial of two inputs and two outputs with three loaded cases, and an objective 2 percent around the outputs at [3, 7]. */
export async function prepareSearch(client: Backsolve) {
  const { body: model } = await client.call('createModel', { body: { name: `model ${crypto.randomUUID()}` } });
  const { body: project } = await client.call('createProject', {
    path: { model_id: model.id },
    body: {
      name: 'two inputs',
      inputCount: 2,
      minimums: [0, 0],
      maximums: [10, 10],
      inputTypes: ['float', 'float'],
      inputCases: [
        [0, 0],
        [10, 1],
        [2, 9],
      ],
    },
  });
  const inProject = { model_id: model.id, project_id: project.id };
  const { body: set } = await client.call('loadOutputCases', {
    path: inProject,
    body: { outputCount: 2, outputCases: project.inputCases.map(blackBox) },
  });
  const inTrial = { ...inProject, trial_id: set.trial_id! };
  const { body: objective } = await client.call('loadObjectives', {
    path: inTrial,
    body: {
      objectives: blackBox([3, 7]),
      objectiveTypes: ['percent', 'percent'],
      minimumBounds: [-2, -2],
      maximumBounds: [2, 2],
      initialInput: [5, 5],
      initialOutput: blackBox([5, 5]),
    },
  });
  return { model, project, inProject, inTrial, inObjective: { ...inTrial, objective_id: objective.id } };
}
