/** A trial and an objective made through the SDK dialect, as existing clients make them. */
import type { Send } from '../native-service.ts';

export const linear = ([x, y]: readonly number[]): number[] => [x! + y!, 2 * x! + y!, x! + 2 * y!];

/** Within one percent of the outputs at (1, 1). */
export const OBJECTIVES = {
  desiredL1Norm: 0,
  objectives: [2, 3, 3],
  objectiveTypes: ['percent', 'percent', 'percent'],
  minimumBounds: [-1, -1, -1],
  maximumBounds: [1, 1, 1],
};

export const SPACE = {
  name: 'Two inputs',
  inputCount: 2,
  minimums: [0, 0],
  maximums: [10, 10],
  inputTypes: ['float', 'float'],
  categories: [],
};

export async function makeTrial(
  send: Send,
  run: (input: readonly number[]) => number[] = linear,
  space: object = SPACE,
) {
  const model = (await send('POST', '/api/models', { name: `model ${crypto.randomUUID()}`, description: null })).body;
  const project = (await send('POST', `/api/models/${model.id}/projects`, space)).body;
  const outputCases: number[][] = project.inputCases.map(run);
  const loaded = await send('POST', `/api/projects/${project.id}/output-cases`, {
    outputCount: outputCases[0]!.length,
    outputCases,
  });
  return { model, project, trial: loaded.body, outputCases };
}

export async function makeObjective(send: Send, change: object = {}, run = linear) {
  const made = await makeTrial(send, run);
  const loaded = await send('POST', `/api/trials/${made.trial.id}/objectives`, {
    ...OBJECTIVES,
    initialInput: made.project.inputCases[0],
    initialOutput: made.outputCases[0],
    ...change,
  });
  const url = `/api/objectives/${loaded.body.id}`;
  return { ...made, loaded, objective: loaded.body, url, suggestUrl: `${url}/suggest-inverse` };
}
