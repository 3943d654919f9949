/** Derivatives beside outputs: how they are read, kept in the journal, and what they save. */
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { readGiven } from '../../../clients/typescript/src/solve/given.ts';
import { fit as fitTo, log, openProject, real, solve, within } from '../../../clients/typescript/src/solve.ts';
import { openPlaces, type Places } from './places.ts';

let here: Places['here'];
let folder: Places['folder'];
beforeAll(async () => {
  const places = await openPlaces();
  ({ here, folder } = places);
  return places.close;
});

const inputs = { a: real(0, 4), b: log(0.1, 10) };
const { cos, exp, sin } = Math;
const outputsOf = ({ a, b }: { a: number; b: number }) => ({
  y: sin(a) * b + 0.3 * a * a,
  z: exp(-a) * b * b + cos(a * b),
});
const slopesOf = ({ a, b }: { a: number; b: number }) => ({
  y: { a: cos(a) * b + 0.6 * a, b: sin(a) },
  z: { a: -exp(-a) * b * b - b * sin(a * b), b: 2 * exp(-a) * b - a * sin(a * b) },
});
const wanted = outputsOf({ a: 1.3, b: 2.2 });
const goals = { y: within(wanted.y, 1e-3), z: within(wanted.z, 1e-3) };
const problem = { inputs, goals };

it.each([
  [
    [
      { z: 2, y: 1 },
      { z: { b: 4, a: 3 }, y: [1, 2] },
    ],
  ],
  [
    [
      [1, 2],
      [[1, 2], { a: 3, b: 4 }],
    ],
  ],
])('reads %j', (given) => {
  const rows = [
    [1, 2],
    [3, 4],
  ];
  expect(readGiven(problem, given)).toEqual({ kind: 'output', output: [1, 2], jacobian: rows });
});

it('knows two outputs, and a curve on its own grid, from outputs with derivatives', () => {
  expect(readGiven(problem, [1, 2])).toEqual({ kind: 'output', output: [1, 2] });
  const curve = { inputs, goals: { level: fitTo([1, 2], { sigma: 0.1, x: [0.5, 1.5] }) } };
  const grid = [
    [0, 1, 2],
    [1, 2, 3],
  ];
  expect(readGiven(curve, grid)).toEqual({ kind: 'output', output: [1.5, 2.5] });
  const jacobian = [
    [1, null],
    [3, 4],
  ];
  expect(readGiven(curve, [grid, jacobian])).toEqual({ kind: 'output', output: [1.5, 2.5], jacobian });
});

it.each([
  [[[1, 2]], '1 rows instead of 2'],
  [{ y: { c: 1 } }, 'The derivatives of y have c, which is not an input'],
  [[[1], [1, 2]], 'The derivatives of y are 1 numbers instead of 2'],
  [
    [
      [1, Number.POSITIVE_INFINITY],
      [1, 1],
    ],
    'The derivative of y by b must be a finite number or null',
  ],
])('refuses %j', (jacobian, message) => {
  expect(() => readGiven(problem, [[1, 2], jacobian])).toThrow(message);
});

it('saves runs with them, and keeps them in the journal', async () => {
  const plain = await solve(outputsOf, { ...here(), ...problem, name: 'plain' });
  const steep = await solve((x) => [outputsOf(x), slopesOf(x)] as const, { ...here(), ...problem, name: 'steep' });
  expect([plain.status, steep.status]).toEqual(['satisfied', 'satisfied']);
  expect(steep.history.length).toBeLessThan(plain.history.length);
  let lines = '';
  for await (const file of glob(path.join(folder, '**/steep*/*.jsonl'))) lines += await readFile(file, 'utf8');
  const finished = lines.split('\n').filter((line) => line.includes('"kind":"finished"'));
  expect(finished.length).toBe(steep.history.length);
  expect(finished.every((line) => line.includes('"jacobian":[['))).toBe(true);
});

it('sends them for runs that are retried or corrected', async () => {
  let calls = 0;
  const mendedLater = (x: { a: number; b: number }) => {
    calls += 1;
    if ([2, 7].includes(calls)) throw new Error('not yet');
    return [outputsOf(x), slopesOf(x)] as const;
  };
  const options = { ...here(), inputs, goals: { ...goals, z: within(50, 1e-3) }, cases: 5, budget: 8 };
  await solve(mendedLater, options);
  const result = await solve(mendedLater, { ...options, retryFailed: true });
  const project = await openProject({ ...here(), ...problem });
  const path = (ids: typeof result.ids) => ({
    model_id: ids.modelId,
    project_id: ids.projectId,
    trial_id: ids.trialId!,
  });
  const retried = (await project.client.call('listCorrections', { path: path(result.ids) })).body;
  expect(retried).toHaveLength(2);
  for (const { old, new: corrected } of retried) {
    expect(old.jacobian).toBeNull();
    const run = result.history.find(({ output }) => output?.y === corrected.output![0])!;
    const { y, z } = slopesOf(run.input);
    expect(corrected.jacobian).toEqual([
      [y.a, y.b],
      [z.a, z.b],
    ]);
  }
  const told: { readonly id: number }[] = [];
  while (!project.isOver) {
    for (const run of await project.ask()) {
      told.push(run);
      await project.tell(run, told.length < 4 ? [outputsOf(run.input), slopesOf(run.input)] : wanted);
    }
  }
  const how = { reason: 'adjoint run later' };
  await project.correct(told[0]!, [{ y: 1, z: 2 }, { y: { a: 3 } }], how);
  const { ids } = await project.result();
  const [correction] = (await project.client.call('listCorrections', { path: path(ids) })).body;
  expect(correction!.new.jacobian).toEqual([
    [3, null],
    [null, null],
  ]);
  await project.close();
});
