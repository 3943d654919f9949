import { describe, expect, it } from 'vitest';
import { makeViolation } from '../../../src/domain/errors.ts';
import type { InputSpace } from '../../../src/domain/problem/input-space.ts';
import { NO_NAMES, type ProjectNames } from '../../../src/domain/problem/names.ts';
import { type ListsByName, type NewObjective, statedTargets } from '../../../src/domain/search/objective.ts';
import { resolveObjective } from '../../../src/domain/search/objective-by-name.ts';

const SPACE: InputSpace = {
  inputCount: 2,
  minimums: [0, 0],
  maximums: [1, 2],
  inputTypes: ['float', 'category'],
  categories: [[], ['x', 'y', 'z']],
};
const NAMES: ProjectNames = { ...NO_NAMES, inputNames: ['a', 'kind'], outputNames: ['p', 'q'] };
const OBJECTIVE: NewObjective = {
  objectives: [1, 2],
  objectiveTypes: ['value', 'minimize'],
  minimumBounds: [-1, null],
  maximumBounds: [1, null],
  desiredL1Norm: 0,
  convergence: 1e-6,
  initialInput: [0.5, 1],
  initialOutput: [1, 1],
  maximumAttempts: 10,
};

const resolve = (byName: ListsByName, names = NAMES) =>
  resolveObjective({ ...OBJECTIVE, byName }, { ...SPACE, names }, 2);

describe('an objective with lists by name', () => {
  it('gets the lists in order, with null for bounds and fixed inputs that are left out', () => {
    const { objective, violations, named } = resolve({
      objectives: { q: 5, p: -0 },
      minimumBounds: { p: -2 },
      maximumBounds: { p: 3, q: null },
      initialInput: { kind: 'z', a: 0.25 },
      fixedInputs: { kind: 'y' },
    });
    expect(violations).toEqual([]);
    expect(objective).toMatchObject({
      ...OBJECTIVE,
      objectives: [0, 5],
      minimumBounds: [-2, null],
      maximumBounds: [3, null],
      initialInput: [0.25, 2],
      fixedInputs: [null, 1],
    });
    expect(named.get('/initialInput')).toEqual(['a', 'kind']);
    expect(named.get('/minimumBounds')).toEqual(['p', 'q']);
    expect(named.has('/initialOutput')).toBe(false);
  });

  it('calls inputs x1, ... and outputs y1, ... without names', () => {
    const { objective } = resolve({ objectiveTypes: { y1: 'percent', y2: 'value' }, fixedInputs: { x1: 1 } }, NO_NAMES);
    expect(objective).toMatchObject({ objectiveTypes: ['percent', 'value'], fixedInputs: [1, null] });
  });

  it('may leave an output to minimize without target', () => {
    const { objective, violations } = resolve({ objectives: { p: 1, q: null } });
    expect([violations, statedTargets(objective)]).toEqual([[], [1, null]]);
  });

  it.each<[ListsByName, readonly [string, string], string]>([
    [{ objectives: { p: 1 } }, ['objectives', 'q'], 'is required: send one value per output.'],
    [{ objectives: { p: null, q: 1 } }, ['objectives', 'p'], 'must be a finite number, is null.'],
    [{ initialInput: { a: null, kind: 'x' } }, ['initialInput', 'a'], 'must be a finite number, is null.'],
    [{ minimumBounds: { p: 'low' } }, ['minimumBounds', 'p'], 'must be a finite number or null, is the string "low".'],
    [{ fixedInputs: { kin: 'x' } }, ['fixedInputs', 'kin'], 'is not an input; did you mean kind?'],
    [{ fixedInputs: { kind: 'w' } }, ['fixedInputs', 'kind'], 'must be one of x, y, z.'],
  ])('%j is refused at %j', (byName, path, message) => {
    expect(resolve(byName).violations).toEqual([makeViolation(path, message)]);
  });
});
