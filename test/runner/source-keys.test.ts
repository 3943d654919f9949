/** Cheaper versions of the black box in a problem file. */
import { expect, it } from 'vitest';
import { hashOfBlackBox } from '../../src/runner/moved-problem.ts';
import { toBodies } from '../../src/runner/problem-bodies.ts';
import { readProblem } from '../../src/runner/problem-file.ts';

const RIGHT = `
inputs: {a: {minimum: 0, maximum: 1}}
outputs: {p: {target: 1, within: 5%}}
command: [run, fine]
`;
const SOURCES = `sources:
  coarse: {cost: 0.05, command: [run, coarse]}
  remote: {cost: 0.5, evaluator: {url: "http://127.0.0.1:9/run"}}
`;

const complaintsOf = (text: string) =>
  readProblem(text, 'problem').violations.map(({ position, key, message }) => `${position.line} ${key}: ${message}`);

it('sources name cheaper versions of any kind of black box, with their costs', () => {
  const { problem, violations } = readProblem(RIGHT + SOURCES, 'problem');
  expect(violations).toEqual([]);
  expect(toBodies(problem!).project).toMatchObject({
    sources: [
      { name: 'coarse', cost: 0.05 },
      { name: 'remote', cost: 0.5 },
    ],
  });
  expect(problem!.sources.map(({ blackBox }) => blackBox.key)).toEqual(['command', 'evaluator']);
  const other = readProblem(RIGHT + SOURCES.replace('[run, coarse]', '[run, rough]'), 'problem');
  expect(hashOfBlackBox(other.problem!)).not.toBe(hashOfBlackBox(problem!));
});

it('what is wrong with a source is named with its place and its keys', () => {
  expect(complaintsOf(`${RIGHT}sources:\n  coarse: {command: [run]}\n`)).toEqual([
    expect.stringContaining('6 sources.coarse.cost: is required'),
  ]);
  expect(complaintsOf(`${RIGHT}sources:\n  coarse: {cost: 2, command: [run]}\n`)).toEqual([
    expect.stringContaining('6 sources.coarse.cost: must lie between 0 and 1, is 2'),
  ]);
  expect(complaintsOf(`${RIGHT}sources:\n  coarse: {cost: 0.1, comand: [run]}\n`)).toEqual(
    expect.arrayContaining([expect.stringContaining('sources.coarse.comand: is not known here')]),
  );
  expect(complaintsOf(`${RIGHT}sources:\n  coarse: {cost: 0.1}\n`)).toEqual([
    expect.stringContaining('6 sources.coarse.command: is required'),
  ]);
});
