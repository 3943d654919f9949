import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeOutputReader } from '../../src/runner/files/read-output.ts';

const FILES = {
  'out.json': '{"results": [{"mass": 1.25, "a/b~c": "4e2"}], "sag": 0.5, "mass": 7}',
  'list.json': '[7, 0.5]',
  'out.txt': 'iteration 1: mass = 3.0\nMass = 9\niteration 2: mass = 1.5D+00\nmass = none\n',
  'one.txt': '  42.5 \n',
  'out.csv': 'time, "mass, kg",sag\n0,1,2\n\n10,"3.5",-4\n20,nan,6\n',
  'table.dat': '  time mass\n 0   1.5\n 1   2.5\n',
  'semi.csv': 'a;b\n1;2,5\n',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-read-'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);
  await symlink('/dev/zero', path.join(folder, 'endless'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['mass=one.txt', 42.5],
  ['mass=out.txt:/iteration \\d+: mass = (\\S+)/', 1.5],
  ['mass=out.txt:/mass = (\\d\\S*)/first', 3],
  ['mass=out.txt:/^mass = (\\d)/i', 9],
  ['mass=out.txt:/(?<=Mass = )\\d+/', 9],
  ['mass=out.json#/results/0/mass', 1.25],
  ['mass=out.json#/results/0/a~1b~0c', 400],
  ['mass=out.csv:row 2 column mass, kg', 3.5],
  ['mass=out.csv:row last column sag', 6],
  ['mass=out.csv:row 3 column 3', -4],
  ['mass=table.dat:row 2 column mass', 2.5],
  ['mass=table.dat:row last column 1', 1],
])('%s', async (rule, expected) => {
  const reader = makeOutputReader([rule]);
  reader.check(['mass']);
  expect(await reader.read(folder, { names: ['mass'] })).toEqual({ kind: 'output', output: [expected] });
});

test('an array of a fit, in a column of a table or in JSON, gives its points', async () => {
  const names = ['y[0]', 'y[2]'];
  for (const [rule, output] of [
    ['y=out.csv:column time', [0, 20]],
    ['y=list.json#', [7]],
  ] as const) {
    const reader = makeOutputReader([rule]);
    reader.check(names);
    expect(await reader.read(folder, { names: names.slice(0, output.length) })).toEqual({ kind: 'output', output });
  }
  expect(await makeOutputReader(['y=list.json#']).read(folder, { names })).toMatchObject({ kind: 'unreadable' });
  expect(() => makeOutputReader(['x=list.json#']).check(names)).toThrow('there is no output "x"');
});

test('rules for each output, in any order, or one file with all', async () => {
  const reader = makeOutputReader(['sag=out.json#/sag', 'mass=out.json#/mass']);
  expect(await reader.read(folder, { names: ['mass', 'sag'] })).toEqual({ kind: 'output', output: [7, 0.5] });
  for (const file of ['out.json', './list.json']) {
    expect(await makeOutputReader([file]).read(folder, { names: ['mass', 'sag'] })).toEqual({
      kind: 'output',
      output: [7, 0.5],
    });
  }
});

test.each([
  ['mass=none.txt', 'none.txt: the command left no such file'],
  ['mass=out.txt:/weight = (.*)/', 'nothing was found'],
  ['mass=out.txt:/mass = (none)/', 'mass is not a number: "none"'],
  ['mass=out.json#/results/1/mass', 'nothing was found'],
  ['mass=one.txt#/mass', 'nothing was found'],
  ['mass=out.csv:row 9 column sag', 'nothing was found'],
  ['mass=out.csv:row 1 column weight', 'it has no column weight; line 1 has time, mass, kg, sag'],
  ['mass=semi.csv:row 1 column b', 'mass is not a number: "2,5"'],
  ['out.txt', 'out.txt is not JSON'],
  ['endless', 'endless: is a device or a pipe, not a file'],
  ['.', '.: is a folder, not a file'],
])('%s cannot be read, which is no failed run', async (rule, reason) => {
  const reading = await makeOutputReader([rule]).read(folder, { names: ['mass'] });
  expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
});

test('what is not finite is a failed run', async () => {
  const reading = await makeOutputReader(['mass=out.csv:row last column mass, kg']).read(folder, { names: ['mass'] });
  expect(reading).toMatchObject({ kind: 'failed' });
});

test.each([
  [['mass=out.txt:/(/'], 'Invalid regular expression'],
  [['mass=out.txt:/x/g'], '"g" is unknown'],
  [['mass=out.csv:row 0 column 1'], 'rows count from 1'],
  [['mass=out.csv:row x column 1'], 'write FILE:/PATTERN/, FILE:row 3 column NAME or'],
  [['mass=out.csv:row 1 column 0'], 'columns count from 1'],
  [['mass=out.json#/a~2'], '~0'],
  [['=out.txt'], 'the name of the output is missing'],
  [['mass='], 'name a file in the work folder'],
  [['mass=/etc/hostname'], 'name a file in the work folder'],
  [['mass=a/../../b'], 'name a file in the work folder'],
  [['mass=a', 'mass=b'], '"mass" has a rule already'],
  [['out.json', 'mass=b'], 'reads all outputs'],
])('%j is refused at the start', (rules, complaint) => {
  expect(() => makeOutputReader(rules)).toThrow(complaint);
});

test('every output has its rule, and every rule its output', () => {
  const reader = makeOutputReader(['mass=a', 'sag=b']);
  expect(() => reader.check(['mass', 'sag', 'cost'])).toThrow('No --read says where to find the output cost');
  expect(() => reader.check(['mass'])).toThrow('there is no output "sag"; the outputs are mass');
});
