/** Fits in a problem file. */
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/runner/files/exchange.ts';
import { dataFilesIn } from '../../src/runner/output-keys.ts';
import type { Problem } from '../../src/runner/problem.ts';
import { inFileWords, toBodies } from '../../src/runner/problem-bodies.ts';
import { readProblem } from '../../src/runner/problem-file.ts';

const keyOf = (problem: Problem, pointer: string) => inFileWords(toBodies(problem), { pointer, message: '' }).key;

const file = (level: string, more = '') => `
inputs: {a: {minimum: 0, maximum: 1}}
outputs:
  cost: {atMost: 5}
  level: {${level}}
command: [run]
${more}`;

const DATA = new Map<string, string | Error>([
  ['level.csv', 'time,level,error\n0,2,0.1\n1,,\n2,1,0.2\n'],
  ['words.csv', 'time,level\n0,2\n1,high\n'],
  ['errors.csv', 'time,level,error\n0,2,0.1\n1,1,0\n'],
  ['gone.csv', new Error('gone.csv: does not exist.')],
]);

const complaintsOf = (text: string) =>
  readProblem(text, 'problem', DATA).violations.map(({ key, message }) => `${key}: ${message}`);

describe('A fit in a problem file', () => {
  it('has its data in a file, and is a data set for the service', () => {
    const text = file(
      'unit: m, fit: {data: level.csv, x: time, y: level, sigma: error, weight: 2}',
      'weights: {cost: 3}',
    );
    expect(dataFilesIn(text)).toEqual(['level.csv']);
    const { problem, violations } = readProblem(text, 'problem', DATA);
    expect(violations).toEqual([]);
    const { project, objectives } = toBodies(problem!);
    expect(project).toMatchObject({ outputNames: ['cost', 'level[0]', 'level[2]'], outputUnits: ['', 'm', 'm'] });
    expect(objectives).toEqual([
      {
        objectives: [5, 2, 1],
        objectiveTypes: ['lessthan_equal', 'fit', 'fit'],
        minimumBounds: [null, null, null],
        maximumBounds: [null, null, null],
        fits: [{ name: 'level', outputs: [1, 2], sigma: [0.1, 0.2], weight: 2, loss: 'linear' }],
        weights: [3, null, null],
      },
    ]);
    expect(keyOf(problem!, '/objectives/0/fits/0/weight')).toEqual(['outputs', 'level', 'fit', 'weight']);
    expect(keyOf(problem!, '/objectives/0/objectiveTypes/2')).toEqual(['outputs', 'level']);
  });

  it('has its data in a list as well, and belongs to all target sets', () => {
    const text = file(
      'fit: {data: [2, null, 1], x: [0, 1, 2], sigma: {relative: 0.1}}',
      'targets: [{}, {cost: {below: 3}}]',
    );
    const { problem, violations } = readProblem(text, 'problem');
    expect(violations).toEqual([]);
    expect(toBodies(problem!).objectives).toMatchObject([
      { objectives: [5, 2, 1], fits: [{ sigma: { relative: 0.1 } }] },
      { objectives: [3, 2, 1], fits: [{ sigma: { relative: 0.1 } }] },
    ]);
    expect(complaintsOf(file('fit: {data: [2, 1]}', 'targets: [{level: 3}]'))).toEqual([
      'targets.1.level: is a fit, whose data belong under outputs and to all target sets.',
    ]);
  });

  it.each([
    ['fit: {x: time}', '', 'outputs.level.fit: needs data: a CSV file, or a list.'],
    ['fit: {data: gone.csv, x: time, y: level}', '', 'outputs.level.fit.data: gone.csv: does not exist.'],
    ['fit: {data: level.csv, x: time}', '', 'outputs.level.fit.y: is required: the title of a column of data.'],
    [
      'fit: {data: level.csv, x: tme, y: level}',
      '',
      'outputs.level.fit.data: level.csv: it has no column tme; line 1 has time,',
    ],
    [
      'fit: {data: words.csv, x: time, y: level}',
      '',
      'data: words.csv, line 3: level is "high", which is not a number.',
    ],
    [
      'fit: {data: errors.csv, x: time, y: level, sigma: error}',
      '',
      'data: errors.csv, line 3: error must be positive where there is a value, is 0.',
    ],
    ['fit: {data: [1, 2], y: level}', '', 'outputs.level.fit.y: names a column of a file'],
    ['fit: {data: [1, 2], sigma: [1]}', '', 'outputs.level.fit.data: sigma has 1 numbers for 2 values.'],
    ['fit: {data: [1, 2], loss: huber}', '', 'outputs.level.fit.data: The loss huber needs sigma'],
    ['fit: {data: [1, 2], loss: hubert}', '', 'outputs.level.fit.loss: must be linear, soft_l1, huber or cauchy'],
    ['fit: {data: [1, 2], sgima: 1}', '', 'outputs.level.fit.sgima: is not known here; did you mean sigma?'],
    ['fit: {data: [1, 2]}, minimize: 3', '', 'outputs.level.minimize: cannot go with fit: an output has one goal.'],
    ['fit: {data: [1, 2]}, read: {csv: o.csv, x: t, y: h}', '', 'read.x: needs the x of the data as well'],
    [
      'below: 3, read: {csv: o.csv, y: h}',
      '',
      'outputs.level.read: belongs to a fit; name the output in the list read',
    ],
    [
      'fit: {data: [1, 2]}',
      'noise: estimate',
      'noise: cannot go with a fit: state the errors of the data as its sigma.',
    ],
    ['fit: {data: [1, 2]}', 'priorities: {cost: 2}', 'priorities: cannot go with a fit: leave them out'],
    ['fit: {data: [1, 2]}', 'weights: {level: 2}', 'weights.level: is a fit: state weight beside its data, under fit.'],
  ])('is refused at its place: %s %s', (level, more, complaint) => {
    expect(complaintsOf(file(level, more))).toEqual([expect.stringContaining(complaint)]);
  });

  const fits = new Map(
    readProblem(file('fit: {data: level.csv, x: time, y: level}'), 'problem', DATA).problem!.fits.map((one) => [
      one.name,
      one.fit,
    ]),
  );
  const both = { names: ['cost', 'level'], fits };

  it.each([
    ['[4, [7, 8, 9]]', { kind: 'output', output: [4, 7, 9] }],
    ['{"level": {"time": [0, "4D0"], "level": [0, "8"]}, "cost": 4}', { kind: 'output', output: [4, 0, 4] }],
    ['{"cost": 4, "level": [[2, 0], [1, 3]]}', { kind: 'output', output: [4, 3, 1] }],
    ['[4, [7, 8, null]]', { kind: 'failed', reason: 'it: level[2] is not finite' }],
    ['[4, [7, 8, "x"]]', { kind: 'unreadable', reason: 'it: level[2] is not a number: "x"' }],
    ['[4, [7, 8]]', { kind: 'unreadable', reason: expect.stringContaining('level has 2 values instead of 3') }],
    [
      '[4, [[0, 1], [1, 2]]]',
      { kind: 'unreadable', reason: expect.stringContaining('covers 0 to 1, and its data need 2') },
    ],
  ])('is read from what a command prints: %s', (text, reading) => {
    expect(readDocument(text, both, 'it')).toEqual(reading);
  });

  it('may be all that a command prints', () => {
    expect(readDocument('[7, 8, 9]', { names: ['level'], fits }, 'it')).toEqual({ kind: 'output', output: [7, 9] });
  });
});
