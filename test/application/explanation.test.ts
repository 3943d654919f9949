import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDiagnosis } from '../../src/domain/explanation.ts';
import { type BlackBox, solve } from '../support/native-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Two outputs that move against each other: their sum is 10 or more everywhere. */
const opposed: BlackBox = {
  minimums: [0, 0],
  maximums: [10, 10],
  inputTypes: ['float', 'float'],
  outputCount: 2,
  run: ([x, y]) => [x! + 0.1 * y!, 10 - x! + 0.2 * y!],
};

interface Explained {
  readonly stopReason: number;
  readonly insight: { readonly caseCount: number; readonly outputs: { readonly sensitivity: number[] }[] } | null;
  readonly diagnosis: {
    readonly detail: string;
    readonly unmet: { readonly number: number; readonly relaxBy: number }[];
    readonly conflicts: number[][];
  } | null;
}

/** The explanation follows its suggestion; a poll sees it within moments. */
async function readExplained(path: string, isThere: (objective: Explained) => boolean): Promise<Explained> {
  return expect.poll(() => service.ok<Explained>('GET', path), { timeout: 15_000 }).toSatisfy(isThere) as never;
}

it('an objective that cannot be met says which outputs conflict and by how much to relax them', async () => {
  const objectives = { objectives: [3, 3], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] };
  const { objectivePath } = await solve(service, opposed, objectives, 10);
  await readExplained(objectivePath, ({ diagnosis }) => diagnosis !== null);
  const { diagnosis } = await service.ok<Explained>('GET', objectivePath);
  expect(diagnosis!.conflicts).toEqual([[0, 1]]);
  expect(diagnosis!.unmet.length).toBeGreaterThan(0);
  expect(diagnosis!.detail).toContain('not together: 0 and 1');
  const relaxed = diagnosis!.unmet.reduce((sum, { relaxBy }) => sum + relaxBy, 0);
  // Their sum is at least 10, asked for is 6.
  expect(relaxed).toBeGreaterThan(3);
  expect(relaxed).toBeLessThan(6);
});

it('an objective that can be met has an insight and no diagnosis', async () => {
  const objectives = { objectives: [5, 8], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] };
  const { objectivePath } = await solve(service, { ...opposed, run: ([x, y]) => [x! + 4.9, y! + 7.9] }, objectives, 12);
  await readExplained(objectivePath, ({ insight }) => insight !== null);
  const objective = await service.ok<Explained>('GET', objectivePath);
  expect(objective).toMatchObject({ stopReason: 1, diagnosis: null });
  // The model of a handful of cases is rough; what its figures are worth is tested with the optimizer.
  expect(objective.insight!.outputs).toHaveLength(2);
  for (const { sensitivity } of objective.insight!.outputs) {
    expect(sensitivity).toHaveLength(2);
    expect(Math.max(...sensitivity)).toBeGreaterThan(0);
  }
});

it('a diagnosis reads as one sentence', () => {
  const text = describeDiagnosis({
    nearestInput: [1],
    nearestOutput: [2, 3],
    nearestIs: 'predicted',
    unmet: [{ output: 1, distance: 0.5, relaxBy: 0.5 }],
    conflicts: [[0, 1]],
  });
  expect(text).toBe(
    'The objectives seem out of reach together; at the nearest point predicted bounds would have to be relaxed: objective 1 by 0.5. Each alone can be met, but not together: 0 and 1.',
  );
});
