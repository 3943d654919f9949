import { describe, expect, it, test } from 'vitest';
import { parseTolerance } from '../../src/runner/files/goals.ts';
import type { Problem } from '../../src/runner/problem.ts';
import { inFileWords, toBodies } from '../../src/runner/problem-bodies.ts';
import { readProblem } from '../../src/runner/problem-file.ts';

const keyOf = (problem: Problem, pointer: string) => inFileWords(toBodies(problem), { pointer, message: '' }).key;

const complaintsOf = (text: string) =>
  readProblem(text, 'problem').violations.map(
    ({ position, key, message }) => `${position.line}:${position.column} ${key}: ${message}`,
  );

const RIGHT = `
inputs: {a: {minimum: 0, maximum: 1}}
outputs: {p: {target: 1, within: 5%}}
command: [run]
`;

describe('a problem file', () => {
  it('says what is known about noise', () => {
    const { problem, violations } = readProblem(
      `${RIGHT}noise: {p: 0.02}\nconfidence: 0.9\nconfidenceOf: mean\n`,
      'problem',
    );
    expect(violations).toEqual([]);
    expect(toBodies(problem!).objectives).toEqual([
      expect.objectContaining({ noise: { standardDeviations: [0.02] }, confidence: 0.9, confidenceOf: 'mean' }),
    ]);
    expect(keyOf(problem!, '/objectives/0/confidence')).toEqual(['confidence']);
    expect(complaintsOf(`${RIGHT}noise: guess\nconfirm: 1.5\n`)).toEqual([
      expect.stringContaining('noise: must be estimate'),
      expect.stringContaining('confirm: '),
    ]);
    expect(complaintsOf(`${RIGHT}noise: {}\n`)).toEqual([
      expect.stringContaining('noise: needs the standard deviation of p; 0 for none.'),
    ]);
  });

  it('has no goal on an input', () => {
    expect(complaintsOf(RIGHT.replace('{p: {', '{a: {target: 1, within: 5%}, p: {'))).toEqual([
      '3:11 outputs.a: is an input: a goal is about an output. Limit an input by its bounds, or give the output another name.',
    ]);
  });

  it('says how to search, and what is wrong is named in its words', () => {
    const file = `
inputs: {a: {minimum: 0, maximum: 1}, b: {minimum: 0, maximum: 1}}
outputs: {p: {minimize: }, q: {maximize: null}, r: {atLeast: 2}}
command: [run]
`;
    const { problem, violations } = readProblem(
      `${file}weights: {q: 4}
priorities: {r: 1, p: 2, q: 2}
front: {reference: {q: 3, p: 10}}
inputTolerances: {kind: normal, in: percent, values: {b: 1}}
`,
      'problem',
    );
    expect(violations).toEqual([]);
    expect(toBodies(problem!).objectives).toEqual([
      {
        objectives: [null, null, 2],
        objectiveTypes: ['minimize', 'maximize', 'greaterthan_equal'],
        minimumBounds: [null, null, null],
        maximumBounds: [null, null, null],
        weights: [null, 4, null],
        priorities: [2, 2, 1],
        front: { reference: [10, 3] },
        inputTolerances: { kind: 'normal', in: 'percent', values: [null, 1] },
      },
    ]);
    for (const [pointer, path] of [
      ['weights/1', 'weights.q'],
      ['front/reference/1', 'front.reference.q'],
      ['inputTolerances/values/1', 'inputTolerances.values.b'],
      ['solutions/count', 'solutions.count'],
      ['robustRuns', 'robustRuns'],
    ] as const)
      expect(keyOf(problem!, `/objectives/0/${pointer}`).join('.')).toBe(path);
    const searches = `${RIGHT}solutions: {count: 3, apart: 0.2}\naimAtRobustness: true\nrobustRuns: 4\n`;
    expect(toBodies(readProblem(searches, 'problem').problem!).objectives).toEqual([
      expect.objectContaining({ solutions: { count: 3, apart: 0.2 }, aimAtRobustness: true, robustRuns: 4 }),
    ]);
    expect(complaintsOf(`${RIGHT}weights: {o: 1}\nsolutions: {number: 3}\nfront: {}\ninputTolerances: {}\n`)).toEqual([
      expect.stringContaining('weights.o: is not known here'),
      expect.stringContaining('solutions.number: is not known here'),
      expect.stringContaining('front.reference: is required'),
      expect.stringContaining('inputTolerances.kind: is required'),
      expect.stringContaining('inputTolerances.values: is required'),
    ]);
    expect(complaintsOf(RIGHT.replace('target: 1, within: 5%', 'below: null'))).toEqual([
      expect.stringContaining('outputs.p.below: must be a number'),
    ]);
  });

  it('When to end early is stated by stop, with its faults at their keys', () => {
    const text = `${RIGHT}stop: {patience: 12, improvementBelow: 0.001, until: "2031-03-01T06:00:00Z"}\n`;
    const { problem, violations } = readProblem(text, 'file');
    expect(violations).toEqual([]);
    const stop = { patience: 12, improvementBelow: 0.001, until: '2031-03-01T06:00:00Z' };
    expect(toBodies(problem!).objectives).toEqual([expect.objectContaining({ stop })]);
    expect(keyOf(problem!, '/objectives/0/stop/until')).toEqual(['stop', 'until']);
    for (const [stated, kept] of [
      ['{}', {}],
      ['false', false],
    ] as const) {
      expect(toBodies(readProblem(`${RIGHT}stop: ${stated}\n`, 'file').problem!).objectives).toEqual([
        expect.objectContaining({ stop: kept }),
      ]);
    }
    const faults = (stated: string) =>
      readProblem(`${RIGHT}stop: ${stated}\n`, 'file').violations.map(({ key }) => key);
    expect(faults('true')).toEqual(['stop']);
    expect(faults('{patience: 1.5}')).toEqual(['stop.patience']);
    expect(faults('{maximumRuns: 9}')).toEqual(['stop.maximumRuns']);
  });

  it('says everything that the service takes', () => {
    const { problem, violations } = readProblem(
      `name: Bracket
inputs:
  length: {unit: mm, minimum: 10, maximum: 80, step: 0.05, likely: [20, null]}
  rate: {minimum: 1e-6, maximum: 100, scale: log}
  size: {values: [1, 2, 5]}
  bolts: {type: integer, minimum: 2, maximum: 8}
  steel: {values: [S235, S355]}
  welded: {type: boolean}
constraints: length + 3*bolts <= 90
outputs:
  mass: {unit: kg, minimize: 1.2}
  sag: {unit: mm, target: 0.8, within: -1% +3%}
  heat: {below: 90}
  life: {atLeast: 1e6}
start: {length: 20, rate: 1, size: 2, bolts: 3, steel: S355, welded: true}
command: ["python3", "bracket.py"]
timeout: 20 min
maximumRuns: 60
retries: 1
`,
      'problem',
    );
    expect(violations).toEqual([]);
    expect(problem).toMatchObject({ timeoutSeconds: 1200, maximumRuns: 60, retries: 1, jobs: 1 });
    const { project, objectives, start } = toBodies(problem!);
    expect(project).toEqual({
      name: 'Bracket',
      inputCount: 6,
      inputNames: ['length', 'rate', 'size', 'bolts', 'steel', 'welded'],
      inputUnits: ['mm', '', '', '', '', ''],
      minimums: [10, 1e-6, 1, 2, 1, 0],
      maximums: [80, 100, 5, 8, 2, 1],
      inputTypes: ['float', 'float', 'float', 'integer', 'category', 'boolean'],
      categories: [null, null, null, null, ['S235', 'S355'], null],
      scales: [null, 'log', null, null, null, null],
      steps: [0.05, null, null, null, null, null],
      levels: [null, null, [1, 2, 5], null, null, null],
      likelyMinimums: [20, null, null, null, null, null],
      constraints: ['length + 3*bolts <= 90'],
      outputCount: 4,
      outputNames: ['mass', 'sag', 'heat', 'life'],
      outputUnits: ['kg', 'mm', '', ''],
    });
    expect(objectives).toEqual([
      {
        objectives: [1.2, 0.8, 90, 1e6],
        objectiveTypes: ['minimize', 'percent', 'lessthan', 'greaterthan_equal'],
        minimumBounds: [null, -1, null, null],
        maximumBounds: [null, 3, null, null],
      },
    ]);
    expect(start).toEqual([20, 1, 2, 3, 2, 1]);
    expect(keyOf(problem!, '/project/levels/2/1')).toEqual(['inputs', 'size', 'values', '2']);
    expect(keyOf(problem!, '/objectives/0/maximumBounds/1')).toEqual(['outputs', 'sag', 'within']);
  });

  it('may name an address instead of a command', () => {
    const text = RIGHT.replace('command: [run]', 'evaluator: {url: "http://localhost:9000/run"}');
    const { problem, violations } = readProblem(text, 'problem');
    expect(violations).toEqual([]);
    expect(problem!.blackBox.record).toMatchObject({
      evaluatorUrl: 'http://localhost:9000/run',
      command: { command: [] },
    });
    expect(readProblem(RIGHT, 'problem').problem!.blackBox.record).toMatchObject({ evaluatorUrl: null });
    expect(complaintsOf(`${RIGHT}evaluator: {url: rig}\nkeep: all\n`)).toEqual([
      '4:1 command: cannot be stated beside evaluator; leave one of them out.',
      '5:18 evaluator.url: must be an address such as http://localhost:9000/run.',
      '6:1 keep: cannot be stated beside evaluator; leave one of them out.',
    ]);
    expect(complaintsOf(RIGHT.replace('command: [run]', 'evaluator: {}'))).toEqual([
      '4:12 evaluator.url: is required: the address to call.',
    ]);
  });

  it('may be JSON, indented by tabs', () => {
    const json = JSON.stringify(
      { inputs: { a: { minimum: 0, maximum: 1 } }, outputs: { p: { below: 3 } }, command: ['x'] },
      null,
      '\t',
    );
    expect(complaintsOf(json)).toEqual([]);
  });

  it('may have several target sets: numbers take the tolerance of their output, goals replace it', () => {
    const text = `inputs: {a: {minimum: 0, maximum: 1}}
outputs: {p: {within: 5%}, q: {below: 3}}
targets: [{p: 1}, {p: {target: 2, within: 0.1}, q: {above: 7}}]
command: [x]`;
    const { problem, violations } = readProblem(text, 'problem');
    expect(violations).toEqual([]);
    expect(problem!.targetSets.map((set) => set.map(({ type, target, upper }) => [type, target, upper]))).toEqual([
      [
        ['percent', 1, 5],
        ['lessthan', 3, null],
      ],
      [
        ['value', 2, 0.1],
        ['greaterthan', 7, null],
      ],
    ]);
    expect(complaintsOf(text.replace('{p: 1}', '{}'))).toEqual([
      '3:11 targets.1.p: has no goal, here or under outputs.',
    ]);
  });

  it('is refused with the place of everything that is wrong, and what was probably meant', () => {
    expect(
      complaintsOf(`inputs:
  a: {minimum: 0, maximun: 1}
  b: {type: boolean, step: 1}
  c: 5
outputs:
  p: {target: 1, within: 5, below: 3}
  q: {maximize: 1, within: 3}
start: {a: 1}
timeout: 3 weeks
environment: {1A: x}
command: python3 model.py
job: 3
`),
    ).toEqual([
      '2:3 inputs.a.maximum: is required, or values with all that the input takes.',
      '2:19 inputs.a.maximun: is not known here; did you mean maximum?',
      '3:22 inputs.b.step: belongs to a number; b is a boolean.',
      '4:6 inputs.c: must be a map with unit, type, minimum, maximum, scale, step, values or likely, is 5.',
      expect.stringContaining('6:3 outputs.p: must have one goal, has target and below;'),
      '7:28 outputs.q.within: belongs to target, not to maximize.',
      '8:8 start.b: is required: start needs a value for every input.',
      expect.stringContaining('9:10 timeout: must be a time such as 90 s, 20 min, 1.5 h or 2 d;'),
      expect.stringContaining('10:15 environment.1A: must consist of letters'),
      '11:10 command: must be a list, ["python3", "model.py"], or text beside "shell: true".',
      '12:1 job: is not known here; did you mean jobs?',
    ]);
  });

  test.each([
    ['aliases', `${RIGHT}name: &n Name\nread: *n\n`, '6:7 read: is an alias'],
    ['duplicate keys', `${RIGHT}jobs: 1\njobs: 2\n`, 'stands here twice'],
    ['several documents', `${RIGHT}---\n${RIGHT}`, 'several documents'],
    ['unknown tags', `${RIGHT}name: !secret x\n`, 'is no valid YAML'],
    [
      'numbers without end',
      RIGHT.replace('minimum: 0', 'minimum: .inf'),
      'inputs.a.minimum: must be a number, is .inf',
    ],
    [
      'verify without a fit',
      `${RIGHT}verify: 2\n`,
      'verify: runs the ends of the intervals of a fit, and no output has',
    ],
    ['deep nesting', `name: ${'['.repeat(30)}${']'.repeat(30)}\n${RIGHT}`, 'nested too deeply'],
    ['very deep nesting', '['.repeat(5_000), 'nested too deeply'],
    ['large files', `# ${'x'.repeat(1_100_000)}`, 'must have at most 1048576 characters'],
    ['nothing', '', 'must be a map'],
  ])('refuses %s', (_, text, complaint) => {
    expect(complaintsOf(text).join('\n')).toContain(complaint);
  });

  it('keeps names that objects have by themselves', () => {
    const text = RIGHT.replace('{a: {', '{__proto__: {minimum: 0, maximum: 1}, constructor: {');
    expect(readProblem(text, 'problem').problem!.inputs.map((input) => input.name)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

test.each([
  ['5%', ['percent', -5, 5]],
  ['0.05', ['value', -0.05, 0.05]],
  ['+-0.05', ['value', -0.05, 0.05]],
  ['± 2 %', ['percent', -2, 2]],
  ['-1% +3%', ['percent', -1, 3]],
  ['-0.1 / 0.2', ['value', -0.1, 0.2]],
  ['0 , 1e-3', ['value', 0, 0.001]],
  ['-1 3%', undefined],
  ['5 percent', undefined],
])('a tolerance of %s is %j', (text, wanted) => {
  const tolerance = parseTolerance(text);
  expect(tolerance && [tolerance.type, tolerance.lower, tolerance.upper]).toEqual(wanted);
});
