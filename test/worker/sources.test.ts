/** Evaluations of a project with cheaper sources: who gets which. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let t: TestService;

beforeAll(async () => {
  t = await startTestService();
});

afterAll(() => t?.close());

interface Evaluation {
  readonly id: number;
  readonly kind: string;
  readonly source: string | null;
  readonly input: readonly number[];
  readonly leaseToken: string;
}

const fine = ([a, b]: readonly number[]) => [a! + b!, a! - b!];

it('an evaluator gets runs of the sources that it serves, and of the fine one alone unless it says so', async () => {
  const model = await t.ok<{ id: number }>('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const space = { inputCount: 2, minimums: [0, 0], maximums: [1, 1], inputTypes: ['float', 'float'], outputCount: 2 };
  const sources = [{ name: 'coarse', cost: 0.1 }];
  const projects = `/models/${model.id}/projects`;
  const project = await t.ok<{ id: number }>('POST', projects, { name: 'plane', ...space, sources });
  const objective = {
    objectives: fine([0.71, 0.23]),
    objectiveTypes: ['value', 'value'],
    minimumBounds: [-1e-3, -1e-3],
    maximumBounds: [1e-3, 1e-3],
  };
  const batch = await t.ok<{ id: number }>('POST', `${projects}/${project.id}/batches`, {
    name: 'night',
    parallelism: 1,
    objectives: [objective],
  });
  const claim = async (wait: number, served?: readonly string[]) => {
    const asked = { evaluator: 'rig', wait, batchId: batch.id, ...(served && { sources: served }) };
    const { evaluations } = await t.ok<{ evaluations: Evaluation[] }>('POST', '/evaluations/claim', asked);
    return evaluations;
  };
  const [first] = await claim(20);
  expect(first).toMatchObject({ kind: 'case', source: null });
  const { id, leaseToken, input } = first!;
  await t.ok('PUT', `/evaluations/${id}/output`, { leaseToken, output: fine(input) });
  const [second] = await claim(20, ['coarse']);
  expect(second).toMatchObject({ kind: 'inverse', source: 'coarse' });
  await t.ok('POST', `/evaluations/${second!.id}/release`, { leaseToken: second!.leaseToken });
  expect(await claim(0)).toEqual([]);
  expect(await claim(20, ['coarse'])).toMatchObject([{ id: second!.id, source: 'coarse' }]);
});
