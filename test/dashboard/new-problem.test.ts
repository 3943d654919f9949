import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNumber } from '../../src/dashboard/parts/read-number.ts';
import {
  type Draft,
  emptyDraft,
  exampleDraft,
  type InputDraft,
  isUntouched,
  moved,
  NO_OPTIONS,
  newInput,
  newOutput,
  type OptionsDraft,
  type OutputDraft,
  parseDraft,
  withInputs,
  withOutputs,
} from '../../src/dashboard/views/new-problem/draft.ts';
import { fingerprint } from '../../src/dashboard/views/new-problem/fingerprint.ts';
import { placeViolations, type RequestName } from '../../src/dashboard/views/new-problem/pointers.ts';
import {
  partOf,
  readDesign,
  readObjectives,
  readOwn,
  readResults,
} from '../../src/dashboard/views/new-problem/requests.ts';
import { describeScales, scaleOf } from '../../src/dashboard/views/new-problem/scales.ts';
import { checkNewObjective, type NewObjective } from '../../src/domain/search/objective.ts';
import { newOutputCases } from '../../src/http/native/data/output-cases.wire.ts';
import { newModel } from '../../src/http/native/problem/models.wire.ts';
import { newProject } from '../../src/http/native/problem/projects.wire.ts';
import { newObjectives } from '../../src/http/native/search/new-objective.wire.ts';
import wide from '../clients/wide-ranges.json' with { type: 'json' };

const optioned = (change: Partial<OptionsDraft>) => ({ options: { ...NO_OPTIONS, ...change } });
const bounded = ({ key = 1, ...stated }: Partial<OutputDraft>) => newOutput(key, { target: '1', ...stated });

function draftWith(changed: Partial<Draft>): Draft {
  return { ...exampleDraft('d'), ...changed };
}

type JudgedName = Exclude<RequestName, 'batch'>;

/** The faults that the service's own rules find, at the fields where the form shows them. */
function judged(draft: Draft, request: JudgedName) {
  const own = draft.data === 'own' ? readOwn(draft) : undefined;
  const parsed = {
    model: () => newModel.read({ name: draft.name }),
    project: () => newProject.read({ ...(own?.project ?? readDesign(draft)).body }),
    results: () => newOutputCases.read({ ...(own?.results ?? readResults(draft)).body }),
    objective: () => newObjectives.read({ ...readObjectives(draft).body }),
  }[request]();
  if (parsed.kind === 'violations') return placeViolations(draft, request, parsed.violations);
  const isObjective = request === 'objective';
  return placeViolations(draft, request, isObjective ? checkNewObjective(parsed.value as NewObjective) : []);
}

describe('a draft', () => {
  it('comes back from storage as it was, and nothing else does', () => {
    const draft = exampleDraft('d1');
    expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
    for (const text of [undefined, '', '{', '7', '{"version":2}', JSON.stringify({ ...draft, inputs: 'none' })]) {
      expect(parseDraft(text)).toBeUndefined();
    }
  });

  it('knows whether anything was typed', () => {
    expect(isUntouched(emptyDraft('a'))).toBe(true);
    expect(isUntouched({ ...emptyDraft('a'), name: 'x' })).toBe(false);
  });

  it('of a release before workbooks is taken up without one', () => {
    const { workbook: _workbook, ...draft } = exampleDraft('d');
    expect(parseDraft(JSON.stringify(draft))).toEqual(exampleDraft('d'));
  });

  it('of an earlier release is taken up with what it did not ask for', () => {
    const { options: _options, ...draft } = exampleDraft('d');
    const inputs = draft.inputs.map(({ tolerance: _tolerance, ...input }) => input);
    const outputs = draft.outputs.map(({ weight: _weight, priority: _priority, deviation: _sd, ...output }) => output);
    expect(parseDraft(JSON.stringify({ ...draft, inputs, outputs }))).toEqual({
      ...exampleDraft('d'),
      options: NO_OPTIONS,
    });
  });

  it('moves rows, and columns of results and own data with them', () => {
    const rows = [newOutput(1, { name: 'a' }), newOutput(2, { name: 'b' }), newOutput(3, { name: 'c' })];
    const own = { titles: ['p', 'q', 'r'], uses: ['y2', 'x0', 'y0'], rows: [] };
    const draft = draftWith({ outputs: rows, results: [['1', '2', '3'], ['4']], own });
    const last = moved(rows, 2, -1);
    expect(last.map(({ name }) => name)).toEqual(['a', 'c', 'b']);
    expect(withOutputs(draft, last)).toMatchObject({
      results: [
        ['1', '3', '2'],
        ['4', '', ''],
      ],
      own: { uses: ['y1', 'x0', 'y0'] },
    });
    expect(withOutputs(draft, rows.slice(1))).toMatchObject({ own: { uses: ['y1', 'x0', ''] } });
    expect(withInputs(draft, [newInput(9), ...draft.inputs])).toMatchObject({ own: { uses: ['y2', 'x1', 'y0'] } });
    expect(moved(rows, 0, -1)).toBe(rows);
  });

  it('has a fingerprint that tells drafts apart', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (a, b) => {
        expect(fingerprint(a) === fingerprint(b)).toBe(a === b);
      }),
    );
  });
});

describe('requests', () => {
  it('ask of the search what is stated, and nothing else', () => {
    const asked = (changed: Partial<Draft>) => {
      const draft = draftWith(changed);
      expect(judged(draft, 'objective')).toEqual({});
      const { objectives, ...body } = readObjectives(draft).body;
      const plain = readObjectives(draftWith({ ...changed, options: NO_OPTIONS })).body;
      return Object.fromEntries(Object.entries(body).filter(([name]) => !(name in plain)));
    };
    expect(asked(optioned({ sure: 'probability', confidenceOf: 'mean' }))).toEqual({
      confidence: 0.9,
      confidenceOf: 'mean',
    });
    expect(asked(optioned({ noise: 'estimate', sure: 'mean', confirm: '4' }))).toEqual({
      noise: 'estimate',
      confirm: 4,
    });
    expect(asked(optioned({ endsByEvidence: true }))).toEqual({
      stop: { patience: null, improvementBelow: null, until: null, maximumRuns: null },
    });
    expect(asked(optioned({ patience: '12', until: '2031-05-01T08:30' }))).toEqual({
      stop: {
        patience: 12,
        improvementBelow: null,
        until: new Date(2031, 4, 1, 8, 30).toISOString(),
        maximumRuns: null,
      },
    });
    expect(asked(optioned({ solutionCount: '3' }))).toEqual({ solutions: { count: 3, apart: null } });
    const outputs = [bounded({ weight: '5' }), bounded({ key: 2, priority: '2', weight: '' })];
    expect(readObjectives(draftWith({ outputs })).body).toMatchObject({ weights: [5, null], priorities: [1, 2] });
    const inputs = [newInput(1, { tolerance: '0,5' }), newInput(2)];
    expect(
      readObjectives(draftWith({ inputs, ...optioned({ toleranceKind: 'uniform', aim: '0.9' }) })).body,
    ).toMatchObject({
      inputTolerances: { kind: 'uniform', in: 'units', values: [0.5, null] },
      aimAtRobustness: 0.9,
    });
    const surest = draftWith({ inputs, ...optioned({ aimsAtSurest: true, aim: '0.9' }) });
    expect(judged(surest, 'objective')).toEqual({});
    expect(readObjectives(surest).body).toHaveProperty('aimAtRobustness', true);
    expect(readObjectives(draftWith(optioned({ until: 'tomorrow' }))).faults).toHaveProperty(['options/until']);
  });

  it('leave out the target of what is minimized or maximized without an end', () => {
    const outputs = [newOutput(1, { type: 'minimize' }), newOutput(2, { type: 'maximize' }), newOutput(3)];
    const { body, faults } = readObjectives(draftWith({ outputs }));
    expect([body.objectives, Object.keys(faults)]).toEqual([[null, null, 0], ['outputs/2/target']]);
  });

  it('fit measured values, of which some are missing, by the rules of the service', () => {
    const measured = (target: string, sigma: string) => newOutput(1, { type: 'fit', target, sigma });
    const limit = newOutput(2, { type: 'lessthan', target: '9' });
    const draft = draftWith({ outputs: [measured('3', '2 %'), limit, measured('', '2 %')] });
    expect([judged(draft, 'objective'), readObjectives(draft).body.objectives]).toEqual([{}, [3, 9, null]]);
    const wrong = draftWith({ outputs: [limit, measured('3', '-1')] });
    expect(Object.keys(judged(wrong, 'objective'))).toEqual(['outputs/1/sigma']);
    expect(partOf('outputs/1/sigma')).toBe('targets');
    expect(Object.keys(judged(draftWith({ outputs: [measured('', '')] }), 'objective'))).toEqual(['outputs/0/target']);
  });

  it('of the example satisfy the rules of the service', () => {
    const draft = exampleDraft('d');
    for (const request of ['model', 'project', 'objective'] as const) expect(judged(draft, request)).toEqual({});
    expect(readDesign(draft).body).toMatchObject({
      minimums: [10, 2],
      maximums: [60, 10],
      steps: [null, 0.5],
      inputUnits: ['mm', 'mm'],
      outputNames: ['stiffness', 'mass'],
    });
    expect(readObjectives(draft).body).toEqual({
      objectives: [90, 60],
      objectiveTypes: ['percent', 'lessthan_equal'],
      minimumBounds: [-2, null],
      maximumBounds: [2, null],
      maximumAttempts: 50,
      parallelism: 1,
      stop: { patience: null, improvementBelow: null, until: null, maximumRuns: null },
    });
  });

  it('has an example that can be solved on its grid', () => {
    const points = Array.from({ length: 51 }, (_, k) => 10 + k).flatMap((width) =>
      Array.from({ length: 17 }, (_, k) => ({ width, thickness: 2 + k / 2 })),
    );
    const isMet = ({ width, thickness }: (typeof points)[number]) =>
      Math.abs((width * thickness ** 2) / 10 - 90) <= 1.8 && (width * thickness) / 2 <= 60;
    expect(exampleDraft('d').recipe).toContain('width × thickness × thickness / 10');
    expect(points.filter(isMet).length).toBeGreaterThan(1);
  });

  it('reads categories, yes and no, decimal commas, scales and constraints', () => {
    const { body, faults } = readDesign(
      draftWith({
        inputs: [
          newInput(1, { name: 'a b', minimum: '0,5', maximum: '1e3', scale: 'log' }),
          newInput(2, { type: 'category', categories: 'steel; copper, hard', minimum: 'ignored' }),
          newInput(3, { type: 'boolean', spacing: '7' }),
          newInput(4, { type: 'integer', minimum: '-2', maximum: '4' }),
        ],
        outputs: [newOutput(1)],
        constraints: '\n x3 + x4 <= 4 \n\n',
        caseCount: '6',
      }),
    );
    expect(faults).toEqual({});
    expect(body).toEqual({
      name: 'Bracket example',
      inputCount: 4,
      minimums: [0.5, 1, 0, -2],
      maximums: [1000, 2, 1, 4],
      inputTypes: ['float', 'category', 'boolean', 'integer'],
      categories: [null, ['steel', 'copper, hard'], null, null],
      inputNames: ['a b', 'x2', 'x3', 'x4'],
      outputNames: ['y1'],
      outputCount: 1,
      scales: ['log', null, null, null],
      constraints: ['x3 + x4 <= 4'],
      caseCount: 6,
    });
  });

  it.each(wide.rows.filter((row) => !('levels' in row)))(
    'A scale that is not chosen follows from the range, as in every client: $type $minimum to $maximum',
    ({ type, minimum, maximum, powers, ...stated }) => {
      const { scale = 'auto', step = '' } = stated as { scale?: InputDraft['scale']; step?: number };
      const chosen = { scale, spacing: String(step), minimum: String(minimum), maximum: String(maximum) };
      const input = newInput(1, { name: 'k', type: type as 'float', ...chosen });
      expect(scaleOf(input)).toBe(powers !== null || scale === 'log' ? 'log' : null);
      const reason = `k varies by factors (log scale), because its range spans ${powers} powers of ten; choose linear to refuse.`;
      expect(describeScales([input], ['k'])).toEqual(powers === null ? [] : [reason]);
    },
  );

  it('finds what cannot be sent', () => {
    const draft = draftWith({
      name: ' ',
      inputs: [newInput(1, { minimum: 'x', maximum: '' }), newInput(2, { type: 'category', categories: ' ,' })],
      outputs: [newOutput(1, { target: '', from: '?' })],
      caseCount: 'many',
      maximumAttempts: '-',
    });
    expect(Object.keys(readDesign(draft).faults).sort()).toEqual([
      'caseCount',
      'inputs/0/maximum',
      'inputs/0/minimum',
      'inputs/1/categories',
      'name',
    ]);
    expect(Object.keys(readObjectives(draft).faults).sort()).toEqual([
      'maximumAttempts',
      'outputs/0/from',
      'outputs/0/target',
    ]);
    expect(Object.keys(readDesign({ ...draft, inputs: [], outputs: [] }).faults)).toContain('outputs');
  });

  it('takes blank rows for failed runs, and needs one that is not', () => {
    const project = { id: 1, print: '', modelId: 1, points: [[1], [2], [3]] };
    const draft = draftWith({
      project,
      results: [
        ['1', '2'],
        [' ', ''],
        ['3', 'x'],
      ],
    });
    expect(readResults(draft)).toEqual({
      body: {
        outputCount: 2,
        outputCases: [
          [1, 2],
          [0, 0],
          [3, 0],
        ],
        failedCases: [1],
      },
      faults: { 'results/2/1': readNumber('x').fault },
    });
    expect(readResults({ ...draft, results: [] }).faults).toHaveProperty('results');
  });
});

describe('violations of the service', () => {
  const input = (stated: Parameters<typeof newInput>[1]) =>
    newInput(1, { name: 'a', minimum: '1', maximum: '2', ...stated });
  const other = newInput(2, { name: 'b', minimum: '1', maximum: '2' });
  const cases: [string, JudgedName, Partial<Draft>, string[]][] = [
    ['a short name', 'model', { name: 'abc' }, ['name']],
    ['a short name of a project', 'project', { name: 'abc' }, ['name']],
    ['bounds in the wrong order', 'project', { inputs: [input({ minimum: '3' })] }, ['inputs/0/maximum']],
    [
      'a bound that is no whole number',
      'project',
      { inputs: [other, input({ type: 'integer', minimum: '0.5' })] },
      ['inputs/1/minimum'],
    ],
    [
      'categories twice',
      'project',
      { inputs: [input({ type: 'category', categories: 'a,a' })] },
      ['inputs/0/categories'],
    ],
    ['names twice', 'project', { inputs: [other, { ...other, key: 3 }] }, ['inputs/1/name']],
    ['a long unit', 'project', { inputs: [other, input({ unit: 'm'.repeat(65) })] }, ['inputs/1/unit']],
    ['a log scale from 0', 'project', { inputs: [input({ minimum: '0', scale: 'log' })] }, ['inputs/0/scale']],
    ['a wide spacing', 'project', { inputs: [other, input({ spacing: '5' })] }, ['inputs/1/spacing']],
    [
      'outputs called the same',
      'project',
      { outputs: [newOutput(1, { name: 'z' }), newOutput(2, { name: 'z' })] },
      ['outputs/1/name'],
    ],
    ['a long unit of an output', 'project', { outputs: [newOutput(1, { unit: 'm'.repeat(65) })] }, ['outputs/0/unit']],
    ['no points', 'project', { caseCount: '0' }, ['caseCount']],
    ['a constraint on another line', 'project', { constraints: '\nwidth >= 11\nheight <= 3' }, ['constraints/2']],
    ['too many runs at a time', 'objective', { parallelism: '65' }, ['parallelism']],
    ['half a run', 'objective', { maximumAttempts: '0.5' }, ['maximumAttempts']],
    ['half a confirming run', 'objective', optioned({ sure: 'mean', confirm: '2.5' }), ['options/confirm']],
    ['a sure thing', 'objective', optioned({ sure: 'probability', confidence: '1' }), ['options/confidence']],
    ['a weight of nothing', 'objective', { outputs: [bounded({ weight: '0' })] }, ['outputs/0/weight']],
    [
      'a negative deviation of the second output',
      'objective',
      {
        ...optioned({ noise: 'stated' }),
        outputs: [bounded({ deviation: '1' }), bounded({ key: 2, deviation: '-1' })],
      },
      ['outputs/1/deviation'],
    ],
    ['an early patience', 'objective', optioned({ patience: '0' }), ['options/patience']],
    ['an improvement of nothing', 'objective', optioned({ improvementBelow: '0' }), ['options/improvementBelow']],
    ['half a run in all', 'objective', optioned({ maximumRuns: '1.5' }), ['options/maximumRuns']],
    ['one solution', 'objective', optioned({ solutionCount: '1' }), ['options/solutionCount']],
    ['far solutions', 'objective', optioned({ solutionCount: '2', apart: '1' }), ['options/apart']],
    ['an aim without tolerances', 'objective', optioned({ aim: '0.9' }), ['options/aim']],
    ['the surest input without tolerances', 'objective', optioned({ aimsAtSurest: true }), ['options/aim']],
    ['runs without an aim', 'objective', optioned({ robustRuns: '3' }), ['options/robustRuns']],
    [
      'a negative tolerance',
      'objective',
      { inputs: [newInput(1), newInput(2, { tolerance: '-1' })] },
      ['inputs/1/tolerance'],
    ],
    [
      'priorities of exact outputs',
      'objective',
      {
        outputs: [
          newOutput(1, { type: 'exact', target: '1' }),
          newOutput(2, { type: 'exact', target: '1', priority: '2' }),
        ],
      },
      ['targets'],
    ],
    ['percent of nothing', 'objective', { outputs: [newOutput(1, { target: '0' })] }, ['outputs/0/target']],
    [
      'an interval the wrong way round',
      'objective',
      { outputs: [newOutput(1, { target: '1', from: '2', to: '1' })] },
      ['outputs/0/to'],
    ],
    [
      'a negative sum',
      'objective',
      { outputs: [newOutput(1, { type: 'exact', target: '1' })], desiredL1Norm: '-1' },
      ['desiredL1Norm'],
    ],
  ];

  it.each(cases)('stand at their fields: %s', (_, request, changed, fields) => {
    const faults = judged(draftWith(changed), request);
    expect(Object.keys(faults)).toEqual(fields);
  });

  it('speak of the fields as the form calls them', () => {
    expect(judged(draftWith({ inputs: [input({ minimum: '3' })] }), 'project')).toEqual({
      'inputs/0/maximum': 'Must be at least the minimum (3), is 2.',
    });
    expect(judged(draftWith({ inputs: [other, { ...other, key: 3 }] }), 'project')).toEqual({
      'inputs/1/name': 'Must differ from the name of input 1, is b too.',
    });
  });

  it('of mixed exact types stand above the targets', () => {
    const outputs = [newOutput(1, { type: 'exact', target: '1' }), newOutput(2, { target: '1' })];
    expect(Object.keys(judged(draftWith({ outputs }), 'objective'))).toEqual(['targets']);
  });

  it('of own cases stand at the cells of the table', () => {
    const own = {
      titles: ['m', 's', 'w', 't'],
      uses: ['y1', 'y0', 'x0', 'x1'],
      rows: [
        ['1', '2', '20', '3'],
        ['1', '2', '99', '3'],
      ],
    };
    const outside = [{ property: '', pointer: '/inputCases/1/0', message: 'must be between 10 and 60, is 99.' }];
    expect(placeViolations(draftWith({ data: 'own', own }), 'project', outside)).toEqual({
      'own/1/2': 'Must be between 10 and 60, is 99.',
    });
    const violations = [{ property: '', pointer: '/outputCases/1/0', message: 'must be a number.' }];
    expect(placeViolations(draftWith({ data: 'own', own }), 'results', violations)).toEqual({
      'own/1/1': 'Must be a number.',
    });
  });

  it('that belong to no field are told with what they are about', () => {
    const violations = [{ property: 'surprise', pointer: '/surprise', message: 'is not known.' }];
    expect(placeViolations(exampleDraft('d'), 'project', violations)).toEqual({ '': 'surprise is not known.' });
  });

  it('belong to a part of the form', () => {
    expect(['name', 'inputs/0/minimum', 'outputs/0/unit', 'constraints/1'].map(partOf)).toEqual(
      Array(4).fill('inputs'),
    );
    expect(['results/1/1', 'own', 'columns', 'caseCount'].map(partOf)).toEqual(Array(4).fill('cases'));
    expect(['outputs/0/target', 'targets', 'parallelism'].map(partOf)).toEqual(Array(3).fill('targets'));
  });
});
