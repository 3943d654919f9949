/** Deterministic black boxes and objectives: objective `index` is the same in every run. */
import { randomFrom } from './random.ts';

export interface Box {
  readonly name: string;
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
  readonly inputTypes: readonly string[];
  readonly categories: readonly (readonly string[])[];
  readonly outputCount: number;
  readonly run: (input: readonly number[]) => number[];
}

export const BOXES: readonly Box[] = [
  {
    name: 'mixer',
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    categories: [[], []],
    outputCount: 2,
    run: ([x, y]) => [x! * Math.exp(-y! / 8) + y!, Math.sin(x! / 3) + 0.1 * x! * y!],
  },
  {
    name: 'frame',
    minimums: [1, 0, 0.5],
    maximums: [12, 2, 5],
    inputTypes: ['integer', 'category', 'float'],
    categories: [[], ['steel', 'titanium', 'carbon'], []],
    outputCount: 2,
    run: ([count, material, width]) => [
      count! * width! * (1 + 0.2 * material!),
      [1, 2.5, 4][material!]! * count! * width! ** 1.5,
    ],
  },
  {
    name: 'oven',
    minimums: [20, 1, 0],
    maximums: [300, 60, 1],
    inputTypes: ['float', 'float', 'boolean'],
    categories: [[], [], []],
    outputCount: 1,
    run: ([heat, minutes, fan]) => [heat! * (1 - Math.exp(-minutes! / (fan! === 1 ? 12 : 20))) + 0.02 * minutes! ** 2],
  },
];

export interface ObjectiveRequest {
  readonly box: Box;
  /** The body of initialize-inverse, different for every index. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whether the objective learns from the other ones of its trial; the others give the same suggestions whatever else is played. */
export function reusesRuns(index: number): boolean {
  return index % 8 === 7;
}

/** The open inverses that such an objective may have; its suggestions depend on the order of its outputs. */
export const PARALLELISM = 3;

export function isParallel(index: number): boolean {
  return index % 8 === 3;
}

/** Reachable and unreachable objectives of every type in turn, so that they end in every way, most of them late. */
export function makeObjective(index: number): ObjectiveRequest {
  const box = BOXES[index % BOXES.length]!;
  const random = randomFrom(1_000_003 * (index + 1));
  const point = box.minimums.map((minimum, i) => {
    const x = minimum + random() * (box.maximums[i]! - minimum);
    return box.inputTypes[i] === 'float' ? x : Math.round(x);
  });
  const reachable = box.run(point);
  const center = box.minimums.map((minimum, i) => {
    const x = (minimum + box.maximums[i]!) / 2;
    return box.inputTypes[i] === 'float' ? x : Math.floor(x);
  });
  const fill = (value: number) => reachable.map(() => value);
  const families = [
    { type: 'percent', objectives: reachable, bounds: 0.01 },
    { type: 'exact', objectives: reachable, bounds: 1 },
    { type: 'value', objectives: reachable.map((y) => y + 1000), bounds: 0.5 },
    { type: 'lessthan', objectives: reachable.map((y) => -1 - Math.abs(y) - 100), bounds: 1 },
    { type: 'minimize', objectives: reachable.map((y) => -1 - Math.abs(y)), bounds: 1 },
  ];
  const family = families[Math.floor(index / BOXES.length) % families.length]!;
  const body = {
    convergence: 1e-9,
    objectives: family.objectives,
    objectiveTypes: reachable.map(() => family.type),
    initialInput: center,
    initialOutput: box.run(center),
    minimumBounds: fill(-family.bounds),
    maximumBounds: fill(family.bounds),
    desiredL1Norm: 0,
    reuse: reusesRuns(index),
  };
  return { box, body };
}
