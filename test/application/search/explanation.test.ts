import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BlackBox, prepareTrial, solve } from '../../support/native-client.ts';
import { startTestService, type TestService } from '../../support/service.ts';

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
  expect(diagnosis!.detail).toContain('not together: y1 and y2');
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

interface Advised {
  readonly advice: readonly { readonly kind: string; readonly sentence: string; readonly runs: readonly object[] }[];
}

const sheared: BlackBox = { ...opposed, caseCount: 12, run: ([x, y]) => [x! + y!, 2 * x! + y!] };
const onSheared = { objectives: [9, 13], objectiveTypes: ['value', 'value'], minimumBounds: [-0.1, -0.1] };
/** Loads the cases with one more, and reads the advice after the first suggestion. */
async function adviceWith(added: (trial: Awaited<ReturnType<typeof prepareTrial>>) => object) {
  const trial = await prepareTrial(service, sheared);
  await service.ok('POST', `${trial.trialPath}/cases`, added(trial));
  const { id } = await service.ok<{ id: number }>('POST', `${trial.trialPath}/objectives`, {
    ...onSheared,
    maximumBounds: [0.1, 0.1],
  });
  const url = `${trial.trialPath}/objectives/${id}`;
  await service.ok('POST', `${url}/inverses`);
  await expect.poll(() => service.ok<Advised>('GET', url)).toSatisfy(({ advice }: Advised) => advice.length > 0);
  return (await service.ok<Advised>('GET', url)).advice;
}

it('A case that all others contradict is named, with what they predict', async () => {
  const input = [4, 4.5];
  const advice = await adviceWith(() => ({ inputs: [input], outputs: [sheared.run(input).map((y) => 10 * y)] }));
  const run = { caseNumber: 13, objectiveId: null, iteration: null };
  expect(advice).toMatchObject([{ kind: 'wrong-run', runs: [run] }]);
  expect(advice[0]!.sentence).toMatch(
    /^The search sets case 13 aside: its y\d is \d+, where all other runs predict about/,
  );
});

it('Of the only two cases at one input, which disagree, both are named, as a mistake or as noise', async () => {
  const advice = await adviceWith(({ inputCases, outputCases }) => ({
    inputs: [inputCases[4]],
    outputs: [outputCases[4]!.map((y) => 1.3 * y + 1)],
  }));
  expect(advice).toMatchObject([{ kind: 'repeats-unclear', runs: [{ caseNumber: 13 }, { caseNumber: 5 }] }]);
  expect(advice[0]!.sentence).toContain(
    'If one of them is wrong, correct it; if your runs are noisy, search with noise',
  );
});

it('One output that may be a sum of squares brings the advice to state its parts', async () => {
  const misfit: BlackBox = {
    ...opposed,
    outputCount: 1,
    caseCount: 6,
    run: ([x, y]) => [(x! - 3) ** 2 + (y! - 4) ** 2],
  };
  const objectives = { objectives: [1e-4], objectiveTypes: ['lessthan_equal'] };
  const { objectivePath } = await solve(service, misfit, objectives, 1);
  const isAdvised = ({ advice }: Advised) => advice.some(({ kind }) => kind === 'sum-of-squares');
  await expect.poll(() => service.ok<Advised>('GET', objectivePath)).toSatisfy(isAdvised);
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
