import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BlackBox, solve } from '../support/native-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const linear: BlackBox = {
  minimums: [0, 0],
  maximums: [10, 10],
  inputTypes: ['float', 'float'],
  outputCount: 3,
  run: ([x, y]) => [x! + y!, 2 * x! - y!, 3 * x! + 0.5 * y! + 1],
};

it('solves a linear problem with 1 percent tolerance in at most 4 suggestions', async () => {
  const targets = linear.run([2.7, 8.1]);
  const objectives = {
    objectives: targets,
    objectiveTypes: ['percent', 'percent', 'percent'],
    minimumBounds: [-1, -1, -1],
    maximumBounds: [1, 1, 1],
  };
  const { objective, suggestions } = await solve(service, linear, objectives, 4);
  expect(objective.stopReason).toBe(1);
  expect(suggestions).toBeLessThanOrEqual(4);
});

it('solves an exact linear problem to an L1 norm of 1e-6 in at most 3 suggestions', async () => {
  const objectives = {
    objectives: linear.run([6.2, 1.3]),
    objectiveTypes: ['exact', 'exact', 'exact'],
    desiredL1Norm: 1e-6,
    convergence: 1e-12,
  };
  const { objective, suggestions } = await solve(service, linear, objectives, 3);
  expect(objective.stopReason).toBe(1);
  expect(suggestions).toBeLessThanOrEqual(3);
  expect(objective.inverses.at(-1)!.l1Norm).toBeLessThanOrEqual(1e-6);
});

it('A client finds an integer, a boolean and a category that meet inequalities', async () => {
  const strength = [1, 2.5, 4];
  const box: BlackBox = {
    minimums: [1, 0, 0, 0.5],
    maximums: [12, 1, 2, 5],
    inputTypes: ['integer', 'boolean', 'category', 'float'],
    categories: ['steel', 'titanium', 'carbon'],
    outputCount: 2,
    run: ([count, braced, material, width]) => [
      count! * width! * (1 + 0.2 * material!) + 3 * braced!,
      strength[material!]! * count! * width! ** 1.5 * (braced! === 1 ? 1.3 : 1),
    ],
  };
  const objectives = { objectives: [20, 70], objectiveTypes: ['lessthan_equal', 'greaterthan_equal'] };
  const { objective, suggestions } = await solve(service, box, objectives, 30);
  expect({ stopReason: objective.stopReason, suggestions }).toMatchObject({ stopReason: 1 });
  const { inputs } = objective.inverses.at(-1)!;
  expect(inputs.slice(0, 3).every(Number.isInteger)).toBe(true);
});

it('An objective ends as STOPPED when every point of a finite space is used, and repeats the best with its output', async () => {
  const box: BlackBox = {
    minimums: [0, 0],
    maximums: [1, 3],
    inputTypes: ['boolean', 'integer'],
    outputCount: 1,
    run: ([a, b]) => [10 * a! + b!],
  };
  const objectives = { objectives: [20], objectiveTypes: ['greaterthan_equal'] };
  const { objective } = await solve(service, box, objectives, 20);
  expect(objective.stopReason).toBe(2);
  const last = objective.inverses.at(-1)!;
  expect(last).toMatchObject({ inputs: [1, 3], outputs: [13], status: 'stopped' });
  const seen = objective.inverses.slice(1, -1).map(({ inputs }) => String(inputs));
  expect(new Set(seen).size).toBe(seen.length);
});
