import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeLogByRange, isLogByRange, type StatedNumber } from '../../clients/typescript/src/solve/wide-range.ts';
import { checkDefinition } from '../../src/composing/check-definition.ts';
import { checkProblemFile } from '../../src/runner/check-problem.ts';
import wide from '../clients/wide-ranges.json' with { type: 'json' };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-check-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the number of designed cases', () => {
  const problem = `
inputs: {a: {minimum: 0, maximum: 1}, b: {minimum: 0, maximum: 1}, c: {minimum: 0, maximum: 1}}
outputs: {p: {target: 1, within: 5%}}
command: [run]
`;
  it.each([
    ['is the default with few jobs', 'jobs: 2', undefined, 3],
    ['is the number of jobs with more', 'jobs: 6', undefined, 6],
    ['is that of the command line instead', 'jobs: 6', 9, 9],
    ['is what the file says', 'jobs: 6\ncases: 2', undefined, 2],
    ['leaves half of the runs to the search', 'jobs: 64\nmaximumRuns: 20', undefined, 10],
    ['stays the default where half of the runs are fewer', 'jobs: 64\nmaximumRuns: 5', undefined, 3],
  ])('%s', async (_, more, jobs, count) => {
    const file = path.join(folder, 'problem.yaml');
    await writeFile(file, problem + more);
    const { designedCount, problem: read } = await checkProblemFile(
      file,
      jobs === undefined ? {} : { jobs },
      checkDefinition,
    );
    expect(designedCount).toBe(count);
    expect(read.jobs).toBe(jobs ?? Number(/jobs: (\d+)/.exec(more)![1]));
  });

  it('is that of the inputs in a space with fewer than jobs', async () => {
    const file = path.join(folder, 'few.yaml');
    await writeFile(
      file,
      'inputs: {a: {type: integer, minimum: 1, maximum: 5}}\noutputs: {p: {below: 1}}\ncommand: [run]\njobs: 8\n',
    );
    const { designedCount } = await checkProblemFile(file, {}, checkDefinition);
    expect(designedCount).toBe(5);
  });
});

it.each([
  ['keeps the constraints', '{a: 1, b: 3}', true],
  ['breaks one, so that it is no answer', '{a: 2, b: 3}', false],
])('A start %s', async (_, start, isInside) => {
  const file = path.join(folder, 'start.yaml');
  const inputs = '{a: {minimum: 0, maximum: 5}, b: {minimum: 0, maximum: 5}}';
  const rest = 'outputs: {p: {below: 1}}\ncommand: [run]\nconstraints: ["a + b <= 4"]\n';
  await writeFile(file, `inputs: ${inputs}\n${rest}start: ${start}\n`);
  expect((await checkProblemFile(file, {}, checkDefinition)).isStartInside).toBe(isInside);
});

it.each(['a', 'k1', 'CO2'])('A problem may be called %s, by its file or in it', async (name) => {
  const file = path.join(folder, `${name}.yaml`);
  const text = 'inputs: {x: {minimum: 0, maximum: 1}}\noutputs: {Tc: {target: 1, within: 5%}}\ncommand: [run]\n';
  for (const stated of ['', `name: ${name}\n`]) {
    await writeFile(file, stated + text);
    const { problem, bodies } = await checkProblemFile(file, {}, checkDefinition);
    expect(problem.name).toBe(name);
    expect(bodies.project['name']).toBe(name.padEnd(4, '-'));
  }
});

describe('constraints that leave almost no room', () => {
  const inputs = 'inputs: {a: {minimum: 0, maximum: 1}, b: {minimum: 0, maximum: 1}, c: {minimum: 0, maximum: 1}}';
  const check = async (constraint: string, more = '') => {
    const file = path.join(folder, 'little-room.yaml');
    const rest = 'outputs: {p: {target: 1, within: 5%}}\ncommand: [run]\n';
    await writeFile(file, `${inputs}\nconstraints: ["a + b + c = 1", "${constraint}"]\n${rest}${more}`);
    return checkProblemFile(file, {}, checkDefinition);
  };
  const BALL = '(a - 0.123)^2 + (b - 0.2)^2 <= 1e-8';
  const START = 'start: {a: 0.123, b: 0.2, c: 0.677}\n';

  it('are taken with a start that satisfies them, from which the service finds further inputs', async () => {
    const { bodies, designedCount } = await check(BALL, START);
    expect(bodies.project['feasibleInput']).toEqual([0.123, 0.2, 0.677]);
    expect(designedCount).toBe(3);
  });

  it('are refused by a key that the file has', async () => {
    const refused = check(BALL);
    await expect(refused).rejects.toThrow('state one that satisfies them as start');
    await expect(refused).rejects.not.toThrow('feasibleInput');
    // One that breaks them is a run like any other.
    await expect(check(BALL, 'start: {a: 0.5, b: 0.2, c: 0.3}\n')).rejects.toThrow('as start');
  });

  it('need no start where one of two inputs has to be 0', async () => {
    const { bodies, designedCount } = await check('a*b <= 0');
    expect([bodies.project['feasibleInput'], designedCount]).toEqual([undefined, 3]);
  });

  it('that leave room are the same with a start as without one', async () => {
    const { bodies } = await check('a*b <= 0.2', START);
    expect(bodies.project['feasibleInput']).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('a file that never ends, or never begins, is refused', () => {
  const problem = 'inputs: {a: {minimum: 0, maximum: 1}}\noutputs: {p: {below: 1}}\ncommand: [run]\n';
  beforeAll(async () => {
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    for (const size of [20, 300]) {
      await writeFile(path.join(folder, `${size}.csv`), '');
      await truncate(path.join(folder, `${size}.csv`), size * 1024 * 1024);
    }
  });

  it.each([
    ['/dev/zero', 'is a device or a pipe, not a file.'],
    ['pipe', 'is a device or a pipe, not a file.'],
    ['.', 'is a folder, not a file.'],
    ['300.csv', 'has more than 256 MB.'],
    ['none.csv', 'does not exist.'],
  ])('as known runs: %s', async (known, message) => {
    const file = path.join(folder, 'known.yaml');
    await writeFile(file, `${problem}known: ${known}\n`);
    await expect(checkProblemFile(file, {}, checkDefinition)).rejects.toThrow(`${file}:4:1: known: ${message}`);
  });

  it.each([
    ['/dev/zero', 'is a device or a pipe, not a file.'],
    ['pipe', 'is a device or a pipe, not a file.'],
    ['.', 'is a folder, not a file.'],
    ['20.csv', 'has more than 16 MB.'],
  ])('as the problem: %s', async (name, message) => {
    const file = path.resolve(folder, name);
    await expect(checkProblemFile(file, {}, checkDefinition)).rejects.toThrow(message);
  });
});

describe('numbers without a scale', () => {
  it.each(wide.rows)('A number is logarithmic by its range as in every client: $type $minimum to $maximum', (row) => {
    const { type, minimum, maximum, scale, step, levels, powers } = row as Row;
    expect(isLogByRange({ type, minimum, maximum, scale, step, levels })).toBe(powers !== null);
    if (powers === null) return;
    expect(describeLogByRange('k', { minimum, maximum }, 'refuse')).toBe(
      `k varies by factors (log scale), because its range spans ${powers} powers of ten; refuse.`,
    );
  });
});

interface Row extends StatedNumber {
  readonly powers: string | null;
}

it.each([
  ['', 1],
  ['jobs: 1', 0],
  ['workFolder: true', 0],
  ['workFolder: false', 0],
  ['read: [p=out.txt]', 0],
  ['copies: [run]', 0],
])('Runs at the same time in one folder are told, with %j', async (more, count) => {
  const file = path.join(folder, 'shared.yaml');
  const text = 'inputs: {x: {minimum: 0, maximum: 1}}\noutputs: {p: {target: 1, within: 5%}}\ncommand: [run]\n';
  const jobs = more.startsWith('jobs') ? '' : 'jobs: 4\n';
  await writeFile(file, text + jobs + more);
  const { notes, problem } = await checkProblemFile(file, {}, checkDefinition);
  expect(notes).toHaveLength(count);
  if (count > 0) expect(notes[0]).toContain('4 runs at a time run in one folder');
  // A statement about the folder alone makes no other program of it.
  const [{ workFolder }] = problem.blackBox.identity as [{ workFolder?: boolean }];
  expect(workFolder).toBe(more === 'workFolder: true' ? true : undefined);
});
