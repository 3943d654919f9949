/** A client of /v1 as a user would write it. */
import type { TestService } from './service.ts';

export interface BlackBox {
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
  readonly inputTypes: readonly string[];
  readonly categories?: readonly unknown[];
  readonly outputCount: number;
  /** Cases to design; the service decides if this is undefined. */
  readonly caseCount?: number;
  readonly run: (input: readonly number[]) => readonly number[];
}

export interface Ended {
  readonly suggestions: number;
  readonly objectivePath: string;
  readonly objective: {
    readonly stopReason: number;
    readonly inverses: readonly { readonly inputs: number[]; readonly outputs: number[]; readonly l1Norm: number }[];
  };
}

/** Creates a model and a project, runs the designed cases and loads their outputs. Returns the trial's path and the cases. */
export async function prepareTrial(service: Pick<TestService, 'ok'>, box: BlackBox) {
  const model = await service.ok<{ id: number }>('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const project = await service.ok<{ id: number; inputCases: number[][] }>('POST', `/models/${model.id}/projects`, {
    name: 'scenario',
    inputCount: box.minimums.length,
    minimums: box.minimums,
    maximums: box.maximums,
    inputTypes: box.inputTypes,
    categories: box.categories ?? [],
    outputCount: box.outputCount,
    caseCount: box.caseCount,
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const outputCases = project.inputCases.map((input) => box.run(input));
  const set = await service.ok<{ trial_id: number }>('POST', `${path}/output-cases`, {
    outputCount: box.outputCount,
    outputCases,
  });
  return { trialPath: `${path}/trials/${set.trial_id}`, inputCases: project.inputCases, outputCases };
}

/** Loads an objective and plays it until it has ended or `limit` suggestions were run. */
export async function solve(
  service: Pick<TestService, 'ok'>,
  box: BlackBox,
  objectives: object,
  limit: number,
): Promise<Ended> {
  const { trialPath, inputCases, outputCases } = await prepareTrial(service, box);
  const { id } = await service.ok<{ id: number }>('POST', `${trialPath}/objectives`, {
    desiredL1Norm: 0,
    initialInput: inputCases[0],
    initialOutput: outputCases[0],
    ...objectives,
  });
  const objectivePath = `${trialPath}/objectives/${id}`;
  let suggestions = 0;
  for (; suggestions < limit; suggestions++) {
    const { stopReason } = await service.ok<{ stopReason: number }>('GET', objectivePath);
    if (stopReason !== 0) break;
    const inverse = await service.ok<{ input: number[]; status: string }>('POST', `${objectivePath}/inverses`);
    if (inverse.status !== 'active') continue;
    await service.ok('POST', `${objectivePath}/inverse-output`, { output: box.run(inverse.input) });
  }
  return { suggestions, objectivePath, objective: await service.ok('GET', objectivePath) };
}
