import { afterAll, beforeAll, expect, it } from 'vitest';
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
  readonly insight: {
    readonly caseCount: number;
    readonly outputs: {
      readonly crossValidated: { readonly r2: number | null };
      readonly sensitivity: [number, number] | null;
      readonly sensitivityRanges: readonly { readonly low: number; readonly high: number }[] | null;
    }[];
  } | null;
  readonly diagnosis: {
    readonly detail: string;
    readonly unmet: { readonly number: number; readonly relaxBy: number }[];
    readonly conflicts: number[][];
  } | null;
}

/** The explanation follows its suggestion; a poll sees it within moments. */
async function readExplained(path: string, isThere: (objective: Explained) => boolean): Promise<Explained> {
  await expect.poll(() => service.ok<Explained>('GET', path)).toSatisfy(isThere);
  return service.ok('GET', path);
}

it('An objective that cannot be met says which outputs conflict and by how much to relax them', async () => {
  const objectives = { objectives: [3, 3], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] };
  const { objectivePath } = await solve(service, opposed, objectives, 10);
  const { diagnosis } = await readExplained(objectivePath, (objective) => objective.diagnosis !== null);
  expect(diagnosis!.conflicts).toEqual([[0, 1]]);
  expect(diagnosis!.unmet.length).toBeGreaterThan(0);
  expect(diagnosis!.detail).toContain('not together: 0 and 1');
  const relaxed = diagnosis!.unmet.reduce((sum, { relaxBy }) => sum + relaxBy, 0);
  // Their sum is at least 10, asked for is 6.
  expect(relaxed).toBeGreaterThan(3);
  expect(relaxed).toBeLessThan(6);
});

interface Ended extends Explained {
  readonly endReason: string;
  readonly best: {
    readonly iteration: number;
    readonly input: number[];
    readonly output: number[];
    readonly misses: number[];
  };
}

it.each([
  ['without weights', {}, 1],
  ['with weights', { weights: [9, 1] }, 1 / 9],
  ['with priorities', { priorities: [1, 2] }, 0],
])('The end, the best run and the diagnosis %s name the same compromise', async (_, options, ratio) => {
  const objectives = { objectives: [3, 3], objectiveTypes: ['lessthan_equal', 'lessthan_equal'], stop: {}, ...options };
  const { objectivePath } = await solve(service, opposed, objectives, 40);
  const ended = await service.ok<Ended>('GET', objectivePath);
  expect(ended).toMatchObject({ stopReason: 2, endingKind: 'out-of-reach' });
  expect(ended.endReason).toContain(`run ${ended.best.iteration} is the best compromise`);
  expect(ended.diagnosis).toMatchObject({ nearestIs: 'evaluated', nearestInput: ended.best.input });
  const [first, second] = ended.best.misses;
  expect(first! / second!).toBeCloseTo(ratio, 1);
});

/** Each output follows one input alone. */
const separate: BlackBox = { ...opposed, run: ([x, y]) => [x! + 4.9, y! + 7.9] };
const reachable = { objectives: [5, 8], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] };

it('An objective that was met has an insight that names the input behind each output, and no diagnosis', async () => {
  const { objectivePath } = await solve(service, { ...separate, caseCount: 10 }, reachable, 12);
  const objective = await readExplained(objectivePath, ({ insight }) => insight !== null);
  expect(objective).toMatchObject({ stopReason: 1, diagnosis: null });
  const [first, second] = objective.insight!.outputs;
  expect(objective.insight!.outputs).toHaveLength(2);
  expect(first!.sensitivityRanges![0]!.low).toBeGreaterThan(0.95);
  expect(first!.sensitivityRanges![1]!.high).toBeLessThan(0.05);
  expect(second!.sensitivityRanges![0]!.high).toBeLessThan(0.05);
  expect(second!.sensitivityRanges![1]!.low).toBeGreaterThan(0.95);
  for (const { crossValidated, sensitivity, sensitivityRanges } of objective.insight!.outputs) {
    expect(crossValidated.r2).toBeGreaterThan(0.99);
    sensitivityRanges!.forEach(({ low, high }, v) => {
      expect(sensitivity![v]).toBeGreaterThanOrEqual(low);
      expect(sensitivity![v]).toBeLessThanOrEqual(high);
    });
  }
});

it('An insight from three cases, one of them given twice, says nothing about the inputs', async () => {
  const { objectivePath, suggestions } = await solve(service, { ...separate, caseCount: 3 }, reachable, 1);
  expect(suggestions).toBe(1);
  const { insight } = await readExplained(objectivePath, (objective) => objective.insight !== null);
  expect(insight!.caseCount).toBe(4);
  expect(insight!.outputs).toMatchObject([
    { sensitivity: null, sensitivityRanges: null },
    { sensitivity: null, sensitivityRanges: null },
  ]);
});
