/**
 * Everything that the service refuses in the bodies that a front door sends: each field of the schemas with wrong values, and each rule
 * between fields. `npm run client` keeps the cases with the words of Python, which tests of the client compare.
 */
import { lineOf, sayViolation } from '../clients/typescript/src/front-doors.ts';
import { namesIn } from '../clients/typescript/src/solve/refusal.ts';
import type { NewBatch } from '../src/domain/batches/batch.ts';
import { checkCaseLimits, checkTrialCases } from '../src/domain/data/case-limits.ts';
import { readJacobian } from '../src/domain/data/jacobian.ts';
import type { Violation } from '../src/domain/errors.ts';
import { checkRegion, readInputDetails } from '../src/domain/problem/input-details.ts';
import type { NewProject } from '../src/domain/problem/project.ts';
import { checkCaseSource } from '../src/domain/problem/sources.ts';
import { checkNewObjective } from '../src/domain/search/objective.ts';
import { resolveObjective } from '../src/domain/search/objective-by-name.ts';
import { checkObjectiveRegion, readObjectiveLimits } from '../src/domain/search/objective-limits.ts';
import { checkMaximumRuns } from '../src/domain/search/stop-options.ts';
import type { BodySpec } from '../src/http/body/spec.ts';
import { newBatch } from '../src/http/native/batches/batches.wire.ts';
import { newModel } from '../src/http/native/problem/models.wire.ts';
import { newProject } from '../src/http/native/problem/projects.wire.ts';
import type { Json } from './client-files.ts';

type Body = Readonly<Record<string, unknown>>;

export interface RefusalCase {
  readonly body: '/model' | '/project' | '/batch' | '/run';
  readonly violation: Violation;
}

const PROJECT: Body = {
  name: 'Bracket',
  inputCount: 3,
  inputNames: ['width', 'bolts', 'steel'],
  inputUnits: ['mm', '', ''],
  minimums: [1, 2, 1],
  maximums: [100, 8, 2],
  inputTypes: ['float', 'integer', 'category'],
  categories: [null, null, ['S235', 'S355']],
  scales: ['log', null, null],
  steps: [null, null, null],
  levels: [null, [2, 4, 8], null],
  likelyMinimums: [10, null, null],
  likelyMaximums: [20, null, null],
  constraints: ['width + 3*bolts <= 90'],
  feasibleInput: { width: 10, bolts: 4, steel: 'S235' },
  outputCount: 2,
  outputNames: ['mass', 'sag'],
  outputUnits: ['kg', 'mm'],
  caseCount: 3,
  parallelism: 2,
  sources: [{ name: 'coarse', cost: 0.1 }],
};

const OBJECTIVE: Body = {
  objectives: [10, 2],
  objectiveTypes: ['percent', 'lessthan_equal'],
  minimumBounds: [-1, null],
  maximumBounds: [1, null],
  maximumAttempts: 20,
  parallelism: 2,
  noise: { standardDeviations: [0.1, 0.2] },
  confirm: 2,
  confidence: 0.9,
  confidenceOf: 'mean',
  weights: { mass: 2 },
  priorities: { sag: 2 },
  fixedInputs: { bolts: 4 },
  stop: { patience: 5, improvementBelow: 0.01, until: '2099-01-01T00:00:00Z', maximumRuns: 50 },
  solutions: { count: 3, apart: 0.1 },
  inputTolerances: { kind: 'normal', in: 'percent', values: { width: 1 } },
  aimAtRobustness: 0.9,
  robustRuns: 3,
  reuse: true,
  holdBack: true,
  desiredL1Norm: 0,
  convergence: 0.001,
  initialInput: { width: 10, bolts: 4, steel: 'S235' },
  initialOutput: { mass: 3, sag: 1 },
  constraints: ['width >= 5'],
};
const FIT: Body = {
  objectives: [10, 2],
  objectiveTypes: ['fit', 'fit'],
  fits: [{ name: 'level', outputs: [0, 1], sigma: [0.1, 0.2], weight: 1, loss: 'linear' }],
};
const FRONT: Body = {
  objectives: [null, null],
  objectiveTypes: ['minimize', 'maximize'],
  front: { reference: [5, 1] },
};

/** Values that replace each field, one after the other. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  'text',
  '',
  'x'.repeat(10_001),
  'a\u0000b',
  'a\nb',
  true,
  -1,
  0,
  0.5,
  3,
  1e9,
  Number.POSITIVE_INFINITY,
  [],
  {},
  [[]],
  ['a', 'a'],
  [null],
  [7, 7],
  { other: 1 },
  Array.from({ length: 2_501 }, () => 1),
  Array.from({ length: 2_501 }, (_, i) => `n${i}`),
];

/** The body with every field and every entry of a list replaced, and with a field that it does not have. */
function* mutations(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const put = (replacement: unknown) =>
      Array.isArray(value) ? value.with(Number(key), replacement) : { ...value, [key]: replacement };
    for (const wrong of WRONG) yield put(wrong);
    for (const mutation of mutations(inner)) yield put(mutation);
  }
  if (!Array.isArray(value)) {
    yield { ...value, surprise: 1 };
  }
}

/** Rules between fields; what is not stated is as above. */
const PROJECTS: readonly Body[] = [
  { minimums: [200, 2, 1] },
  { minimums: [-1e308, 2, 1], maximums: [1e308, 8, 2] },
  { minimums: [1, 2.5, 1], maximums: [100, 8.5, 2] },
  { inputTypes: ['boolean', 'integer', 'category'] },
  { categories: [['a'], null, ['S235', 'S355']] },
  { categories: [null, null, ['S235', 'S235']] },
  { categories: [null, null, ['S235']] },
  { categories: [null] },
  { inputNames: ['width', 'width', 'steel'], outputNames: ['mass', 'mass'] },
  { inputNames: ['width'], inputUnits: ['mm'], outputNames: ['mass'], outputUnits: [] },
  { minimums: [-1, 2, 1] },
  { scales: [null, null, 'log'] },
  { steps: [500, 1, null] },
  { steps: [1e-7, null, null] },
  { steps: [1, null, null], levels: [[1, 2], null, null], scales: null },
  { levels: [null, [4, 2], [1, 2]] },
  { levels: [[0, 200], [2, 2.5], null], scales: null },
  { likelyMinimums: [30, null, 1], likelyMaximums: [20, 2, null] },
  { likelyMinimums: null, likelyMaximums: [0, null, null] },
  { constraints: ['widht <= 3'] },
  { constraints: ['width + steel <= 3'] },
  {
    constraints: [
      'width ** ',
      'width < 3',
      'width <= 3 <= 4',
      'foo(width) <= 2',
      'max(width) <= 3',
      'width <= "a"',
      '1 <= 2',
    ],
  },
  { constraints: [{ coefficients: [1, 0, 1], relation: '<=', bound: 3 }] },
  { constraints: [{ coefficients: [1], relation: '<', bound: 'x', extra: 1 }] },
  {
    constraints: Array.from(
      { length: 60 },
      () => `${Array.from({ length: 40 }, () => 'sin(width)').join(' + ')} <= 90`,
    ),
  },
  { feasibleInput: { width: 1000, bolts: 3, steel: 'S999' } },
  { feasibleInput: { width: 10, bolts: 4.5 } },
  { feasibleInput: [1000, 3.5, 1] },
  { inputCases: [[1000, 3.5, 1], [1]], caseCount: 7 },
  {
    inputCases: [
      [10, 4, 1],
      [10, 3.5, 1],
    ],
    caseCount: 7,
  },
  {
    sources: [
      { name: 'fine', cost: 0.1 },
      { name: 'a', cost: 0.1 },
      { name: 'a', cost: 0.2 },
    ],
  },
  { ...manyInputs(201) },
  { outputCount: 6_000, outputNames: Array.from({ length: 6_000 }, (_, i) => `y${i}`), outputUnits: null },
  { ...manyInputs(200), steps: Array.from({ length: 200 }, () => 0.1), constraints: ['x0 <= 0.5'] },
];

function manyInputs(count: number): Body {
  const each = <T>(value: T): T[] => Array.from({ length: count }, () => value);
  return {
    inputCount: count,
    minimums: each(0),
    maximums: each(1),
    inputTypes: each('float'),
    categories: [],
    inputNames: Array.from({ length: count }, (_, i) => `x${i}`),
    inputUnits: null,
    scales: null,
    levels: null,
    likelyMinimums: null,
    likelyMaximums: null,
    constraints: null,
    feasibleInput: null,
  };
}

const OBJECTIVES: readonly Body[] = [
  { objectives: [0, 2] },
  { objectives: [10], objectiveTypes: ['percent'] },
  { objectives: [10, 2, 3] },
  { objectiveTypes: ['percent', 'exact'] },
  { objectives: [null, 2], objectiveTypes: ['value', 'lessthan'] },
  { objectives: { mass: null, sga: 3 } },
  { objectiveTypes: { mass: 'percentt', sag: 'value' } },
  { minimumBounds: [1, 5], maximumBounds: [-1, 3] },
  { minimumBounds: [null, null], maximumBounds: [null, null] },
  { minimumBounds: null, maximumBounds: [] },
  { weights: [1000, 0], priorities: [4, 1.5] },
  { weights: [1], priorities: [1], noise: { standardDeviations: [0.1] } },
  { objectiveTypes: ['exact', 'exact'] },
  { confidence: null },
  { inputTolerances: null },
  { aimAtRobustness: null, robustRuns: 2.5 },
  { aimAtRobustness: 3, robustRuns: 1_000 },
  { inputTolerances: { kind: 'normal', values: [1, -1] } },
  { fixedInputs: [1000, 4.5, null] },
  { fixedInputs: [1] },
  { fixedInputs: [null, 3, null] },
  { fixedInputs: { steel: 'S999', bolt: 3 } },
  { constraints: ['width ** 2', 'steel <= 3'] },
  { constraints: Array.from({ length: 250 }, () => 'width <= 5') },
  { initialOutput: null, initialJacobian: [[1, 2, 0]] },
  { initialInput: null },
  { initialInput: { width: 1000 } },
  { initialInput: [1, 2.5, 1] },
  { initialOutput: { mass: 3 } },
  { solutions: { count: 3 } },
  { continues: 3 },
  { objectives: [null, 2], objectiveTypes: ['minimize', 'lessthan'] },
  { objectiveTypes: ['standard_deviations', 'lessthan'], noise: null },
  { objectiveTypes: ['standard_deviations', 'lessthan'], noise: { standardDeviations: [0, 1] } },
  { ...FIT, objectiveTypes: ['standard_deviations', 'fit'], noise: null },
  { ...FRONT, solutions: { count: 3 }, stop: { patience: 3 } },
  { ...FRONT, front: { reference: [1] } },
  { ...FRONT, front: { reference: { mass: 'x', sgag: 1 } } },
  { front: { reference: [1, 2] } },
  {
    objectives: [null, null, null, null, null],
    objectiveTypes: Array.from({ length: 5 }, () => 'minimize'),
    minimumBounds: null,
    maximumBounds: null,
    weights: null,
    priorities: null,
    noise: null,
  },
  { fixedInputs: [1.3, null, null] },
  { ...FIT, priorities: [1, 2], weights: [2, 2], noise: 'estimate' },
  { ...FIT, fits: [{ name: 'level', outputs: [0, 0], weight: 0, sigma: [0.1] }] },
  { ...FIT, fits: [{ outputs: [0], loss: 'huber', weight: 1e9 }] },
  { ...FIT, fits: [{ outputs: [0, 7, 'sga'], sigma: { relative: -1 } }] },
  { ...FIT, objectives: [0, null], fits: [{ name: 'level', sigma: { relative: 0.1 } }] },
  { ...FIT, objectives: [null, null], fits: null, solutions: { count: 2 } },
  { ...FIT, fits: [{ name: 'level', sigma: -1 }] },
  { ...FIT, fits: [{ name: 'level', sigma: [-1, null] }] },
  { objectiveTypes: ['fit', 'minimize'], weights: null, fits: null },
  { fits: [{ name: 'level' }] },
  {
    objectives: Array.from({ length: 6_000 }, () => 1),
    objectiveTypes: Array.from({ length: 6_000 }, () => 'lessthan'),
    minimumBounds: Array.from({ length: 6_000 }, () => null),
    maximumBounds: Array.from({ length: 6_000 }, () => null),
  },
];

const STORED = (() => {
  const read = newProject.read({ ...PROJECT, scales: null, steps: [0.5, null, null] });
  if (read.kind === 'violations') throw new Error(JSON.stringify(read.violations));
  return read.value;
})();

/** All cases, those with the same words once. */
export function refusalCases(): readonly RefusalCase[] {
  const cases: RefusalCase[] = [];
  const add = (body: RefusalCase['body'], violations: readonly Violation[]) => {
    for (const violation of violations) cases.push({ body, violation });
  };
  const read = (body: RefusalCase['body'], spec: BodySpec<unknown>, sent: unknown) => {
    const found = spec.read(sent as Body);
    if (found.kind === 'violations') return add(body, found.violations);
    const [first] = (found.value as Partial<NewBatch>).objectives ?? [];
    if (first !== undefined) add('/batch', inObjective(checkStored(first)));
  };
  for (const sent of mutations({ name: 'Bracket', description: 'text' })) read('/model', newModel, sent);
  for (const sent of mutations(PROJECT)) read('/project', newProject, sent);
  for (const stated of PROJECTS) read('/project', newProject, { ...PROJECT, ...stated });
  const batch = {
    name: 'b',
    objectives: [OBJECTIVE],
    parallelism: 2,
    timeoutSeconds: 5,
    maximumTries: 3,
    maximumLosses: 5,
    stopAfterFailures: 20,
    trialId: 7,
  };
  for (const sent of mutations({ ...batch, objectives: [{ ...OBJECTIVE, ...FIT, solutions: null }] }))
    read('/batch', newBatch, sent);
  for (const sent of mutations(batch)) read('/batch', newBatch, sent);
  for (const sent of mutations(FRONT)) read('/batch', newBatch, { ...batch, objectives: [sent] });
  read('/batch', newBatch, { ...batch, objectives: [] });
  const project = { value: STORED };
  for (const stated of OBJECTIVES) {
    read('/batch', newBatch, { ...batch, objectives: [{ ...OBJECTIVE, ...stated }] });
    const others = { confirm: null, confidence: null, confidenceOf: null, solutions: null, aimAtRobustness: null };
    read('/batch', newBatch, { ...batch, objectives: [{ ...OBJECTIVE, ...others, robustRuns: null, ...stated }] });
  }
  add('/project', regions(project.value));
  add('/batch', inObjective(objectiveRegions(project.value)));
  add('/batch', inObjective(checkMaximumRuns({ maximumRuns: 3 }, 5)));
  add('/project', checkCaseLimits('inputCases', 20, 3, { cases: 10, cells: 0 }));
  add('/project', checkCaseLimits('caseCount', 20, 3, { cases: 0, cells: 10 }));
  add('/run', checkCaseSource([{ name: 'coarse', cost: 0.1 }], 'crude'));
  add('/run', checkTrialCases(99_999, 5, { inputCount: 2, outputCount: 2 }, { cells: 0 }));
  const shape = {
    inputCount: 3,
    outputCount: 2,
    inputNames: ['width', 'bolts', 'steel'],
    outputNames: ['mass', 'sag'],
    inputTypes: project.value.space.inputTypes,
  };
  for (const sent of [
    3,
    [[1]],
    [
      [1, 2, 3],
      [1, 2, 0],
    ],
    { mass: { steel: 3, widht: 2 } },
    { mass: { width: 'x' } },
  ])
    add('/run', readJacobian(sent as never, shape, ['jacobian']).violations);
  const told = new Map(cases.map((one) => [JSON.stringify([one.body, one.violation]), one]));
  return [...told.values()];
}

function inObjective(violations: readonly Violation[]): readonly Violation[] {
  return violations.map((one) => ({
    ...one,
    pointer: `/objectives/0${one.pointer}`,
    ...(one.parts && {
      parts: one.parts.map((part) =>
        part.pointer === undefined ? part : { ...part, pointer: `/objectives/0${part.pointer}` },
      ),
    }),
  }));
}

/** As createBatch checks a definition against its project. */
function checkStored(sent: Parameters<typeof resolveObjective>[0]): readonly Violation[] {
  const space = { ...STORED.space, names: STORED.names! };
  const { objective, violations } = resolveObjective(sent, space, 2);
  const limits = readObjectiveLimits(space, objective).violations;
  return [...violations, ...checkNewObjective(objective, { outputCount: 2, space: STORED.space }), ...limits];
}

const REPORTS = [
  { kind: 'nothing-found', isForWholeNumbers: true },
  { kind: 'nothing-found', isForWholeNumbers: false },
  { kind: 'out-of-work' },
] as const;

function regions({ space, names }: NewProject): readonly Violation[] {
  const detailed = (constraints: readonly string[], feasibleInput: readonly number[] | null) =>
    readInputDetails(
      space,
      {
        scales: null,
        steps: null,
        levels: null,
        likelyMinimums: null,
        likelyMaximums: null,
        constraints,
        feasibleInput,
      },
      names!.inputNames,
    ).details!;
  const named = { ...space, inputNames: names!.inputNames };
  const details = detailed(['width <= 3', 'width >= 5'], null);
  return [
    ...REPORTS.flatMap((report) => checkRegion(details, named, report as never)),
    ...checkRegion(detailed(['width <= 3'], [10, 4, 1]), named, REPORTS[1] as never),
    ...checkRegion(details, named, { kind: 'nonlinear-equation', condition: 0 } as never),
    ...checkRegion(details, named, { kind: 'empty', conditions: [0, 1], variables: [0] } as never),
  ];
}

function objectiveRegions({ space, names }: NewProject): readonly Violation[] {
  const named = { ...space, names: names! };
  const { limits } = readObjectiveLimits(named, { fixedInputs: [10, null, null], constraints: ['width >= 11'] });
  const fixedOnly = readObjectiveLimits(named, { fixedInputs: [10, null, null] }).limits;
  return [
    ...[limits, fixedOnly].flatMap((one) =>
      REPORTS.flatMap((report) => checkObjectiveRegion(named, one, report as never)),
    ),
    ...checkObjectiveRegion(named, limits, { kind: 'nonlinear-equation', condition: 1 } as never),
    ...checkObjectiveRegion(named, limits, { kind: 'empty', conditions: [0, 1], variables: [0, 1] } as never),
  ];
}

export const BODIES = { project: PROJECT, objectives: [{ ...OBJECTIVE, fits: FIT['fits'] }] } as unknown as Parameters<
  typeof namesIn
>[1];

/** The cases with the words of Python, for test/clients/refusals.json. */
export function buildRefusalFile(): { readonly file: URL; readonly text: string } {
  const { inputs, outputs, fits, sources, open } = namesIn('python', BODIES);
  const names = { inputs, outputs, fits: fits!, sources: sources!, open: open! };
  const cases = refusalCases().map(({ body, violation: { property: _, ...violation } }) => ({
    body,
    ...violation,
    said: lineOf(sayViolation('python', namesIn('python', BODIES), body, violation)),
  }));
  const seen = new Set<string>();
  // One per message and place, whatever its numbers and texts.
  const kept = cases.filter(({ said }) => {
    const alike = said.replace(/, (is|has) .*$/, '').replace(/\d+/g, '0');
    return !seen.has(alike) && seen.add(alike);
  });
  const lines = kept.map((one) => `    ${JSON.stringify(one as unknown as Json)}`);
  const text = `{\n  "names": ${JSON.stringify(names)},\n  "cases": [\n${lines.join(',\n')}\n  ]\n}\n`;
  return { file: new URL('../test/clients/refusals.json', import.meta.url), text };
}
