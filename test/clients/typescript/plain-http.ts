/** The same problem solved as a program without any client would. */
import type { NewBatch, NewProject, Project, Suggestion } from '../../../clients/typescript/src/index.ts';
import type { TestService } from '../../support/service.ts';

type Given = Readonly<Record<string, number>> | readonly number[];
type BlackBox = (input: never) => Given | Promise<Given>;

/** @returns how many runs it took, the designed ones included */
export async function solveOverHttp(
  { ok }: TestService,
  { project: definition, batch }: { readonly project: NewProject; readonly batch: NewBatch },
  blackBox: BlackBox,
): Promise<number> {
  let runs = 0;
  const names = definition.outputNames!;
  const evaluate = async (input: readonly number[]): Promise<readonly number[] | undefined> => {
    runs++;
    const entries = definition.inputNames!.map((name, i) => [name, readValue(definition, i, input[i]!)]);
    try {
      const given = await blackBox(Object.fromEntries(entries) as never);
      const output = Array.isArray(given) ? given : names.map((name) => (given as Record<string, number>)[name]!);
      return output.every(Number.isFinite) ? output : undefined;
    } catch {
      return undefined;
    }
  };
  const model = await ok<{ id: number }>('POST', '/models', { name: `plain ${crypto.randomUUID()}` });
  const project = await ok<Project>('POST', `/models/${model.id}/projects`, definition);
  const outputs: (readonly number[] | undefined)[] = [];
  for (const input of project.inputCases) outputs.push(await evaluate(input));
  const inProject = `/models/${model.id}/projects/${project.id}`;
  const loaded = await ok<{ trial_id: number }>('POST', `${inProject}/output-cases`, {
    outputCount: names.length,
    outputCases: outputs.map((output) => output ?? names.map(() => 0)),
    failedCases: outputs.flatMap((output, row) => (output === undefined ? [row] : [])),
  });
  const inTrial = `${inProject}/trials/${loaded.trial_id}`;
  const objective = await ok<{ id: number; stopReason: number }>('POST', `${inTrial}/objectives`, batch.objectives[0]);
  const inObjective = `${inTrial}/objectives/${objective.id}`;
  for (let { stopReason } = objective; stopReason === 0; ) {
    const inverse = await ok<Suggestion>('POST', `${inObjective}/inverses`);
    if (inverse.status === 'active') {
      const output = await evaluate(inverse.input!);
      const body = output === undefined ? { failed: true } : { output };
      await ok('PUT', `${inObjective}/inverses/${inverse.id}/output`, body);
    }
    ({ stopReason } = await ok<{ stopReason: number }>('GET', inObjective));
  }
  return runs;
}

function readValue({ inputTypes, categories }: NewProject, i: number, value: number): number | string | boolean {
  const type = (inputTypes as readonly string[])[i];
  if (type === 'boolean') return value !== 0;
  return type === 'category' ? (categories as readonly (readonly string[] | null)[])[i]![value - 1]! : value;
}
