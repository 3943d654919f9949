import { expect, it } from 'vitest';
import { readJacobian } from '../../../src/domain/data/jacobian.ts';

const SHAPE = {
  outputCount: 2,
  inputCount: 3,
  outputNames: ['mass', 'sag'],
  inputNames: ['width', 'steel', 'welded'],
  inputTypes: ['float', 'category', 'boolean'],
};
const NONE = Number.NaN;

it('Derivatives along categories and booleans may be null, 0 or left out', () => {
  const read = (sent: Parameters<typeof readJacobian>[0]) => readJacobian(sent, SHAPE, ['jacobian']);
  const expected = { jacobian: [2, NONE, NONE, 3, NONE, NONE], violations: [] };
  expect(read([[2, null, 0], { width: 3, steel: 0 }])).toEqual(expected);
  expect(read({ mass: { width: 2 }, sag: [3, 0, null] })).toEqual(expected);
});

it('Other derivatives along them are refused, with the place, the type and what to send', () => {
  const { jacobian, violations } = readJacobian({ mass: { steel: 2 }, sag: [1, 0, -1] }, SHAPE, ['jacobian']);
  expect(jacobian).toBeNull();
  expect(violations.map(({ property, message }) => [property, message])).toEqual([
    [
      'jacobian.mass.steel',
      expect.stringMatching(/^must be null, 0 or left out, is 2: mass .* steel, which is a category\./),
    ],
    [
      'jacobian.sag[2]',
      expect.stringMatching(/^must be null, 0 or left out, is -1: sag .* welded, which is a boolean\./),
    ],
  ]);
});
