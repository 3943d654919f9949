import { describe, expect, it } from 'vitest';
import { viewOf } from '../../src/application/views.ts';
import { UNKNOWN_RUN } from '../../src/domain/data/run-fields.ts';
import type { Inverse } from '../../src/domain/search/inverse.ts';
import type { ObjectiveWithInverses } from '../../src/domain/search/objective.ts';
import { presentModel } from '../../src/http/native/problem/models.wire.ts';
import {
  presentEmbeddedInverse,
  presentInverse,
  presentSuggestion,
} from '../../src/http/native/search/inverses.wire.ts';
import { presentLoadedObjectives, presentObjective } from '../../src/http/native/search/objectives.wire.ts';
import { LEARNS_ALONE } from '../support/learns-alone.ts';
import { NOTHING_JUDGED } from '../support/nothing-judged.ts';

const createdAt = new Date('2026-01-31T12:00:00.000Z');
const updatedAt = new Date('2026-02-01T00:00:00.007Z');
const instants = { createdAt, updatedAt, disabledAt: null };
const shown = { createdAt: '2026-01-31T12:00:00.000Z', updatedAt: '2026-02-01T00:00:00.007Z' };

const inverse: Inverse = {
  ...UNKNOWN_RUN,
  id: 20,
  objectiveId: 10,
  iteration: 2,
  status: 'active',
  basisOutput: [12, 3],
  suggestTimeNs: 0,
  computeTimeNs: 0,
  ...instants,
};

const objective: ObjectiveWithInverses = {
  id: 10,
  trialId: 5,
  number: 1,
  objectives: [10, 5],
  objectiveTypes: ['value', 'lessthan_equal'],
  minimumBounds: [-1, 0],
  maximumBounds: [1, 1],
  desiredL1Norm: 0.5,
  convergence: 0.001,
  initialInput: [1],
  initialOutput: [20, 30],
  maximumAttempts: 500,
  attemptCount: 1,
  stopReason: 0,
  optimalInverseId: null,
  seed: 7,
  labels: null,
  ...NOTHING_JUDGED,
  ...LEARNS_ALONE,
  inverses: [inverse],
  ...instants,
};

const RESULTS_AT_BASIS = [
  {
    name: null,
    number: 0,
    type: 'value',
    objective: 10,
    minimumBound: -1,
    maximumBound: 1,
    output: 12,
    error: 2,
    detail: expect.any(String),
    satisfied: false,
  },
  {
    name: null,
    number: 1,
    type: 'lessthan_equal',
    objective: 5,
    minimumBound: null,
    maximumBound: null,
    output: 3,
    error: 0,
    detail: expect.any(String),
    satisfied: true,
  },
];

describe('an inverse', () => {
  it('An inverse without an output shows the results of the last completed iteration', () => {
    expect(presentSuggestion(viewOf(objective, inverse))).toEqual({
      id: 20,
      objectiveId: 10,
      status: 'active',
      iteration: 2,
      convergence: 1 / 15,
      input: null,
      suggestTime: 0,
      computeTime: 0,
      l1Norm: 2,
      errors: [2, 0],
      loadedAt: null,
      satisfiedAt: null,
      source: null,
      stoppedAt: null,
      exhaustedAt: null,
      failedAt: null,
      failureReason: null,
      basis: null,
      completedOrder: null,
      learnedFrom: null,
      isRepeat: false,
      repeatOf: null,
      excludedAt: null,
      ...shown,
      results: RESULTS_AT_BASIS,
    });
  });

  it('An inverse with an output shows its results, its trial and its output', () => {
    const loaded = { ...inverse, input: [2], output: [10.5, 6], suggestTimeNs: 12_345_678, computeTimeNs: 5 };
    expect(presentInverse(viewOf(objective, loaded))).toMatchObject({
      trialId: 5,
      input: [2],
      output: [10.5, 6],
      suggestTime: 12_345_678,
      computeTime: 5,
      l1Norm: 1.5,
      convergence: 1 / 15,
      errors: [0.5, 1],
      disabledAt: null,
    });
  });

  it('The inverse of iteration 1 shows the criterion as convergence', () => {
    const first = { ...inverse, iteration: 1, input: [1], output: [20, 30], basisOutput: null };
    expect(presentInverse(viewOf(objective, first)).convergence).toBe(0.001);
  });

  it('An inverse within an objective shows empty arrays for unknown values', () => {
    const embedded = presentEmbeddedInverse(objective, inverse);
    expect(embedded).toMatchObject({ inputs: [], outputs: [], l1Norm: 2 });
    expect(embedded).not.toHaveProperty('input');
    expect(embedded).not.toHaveProperty('results');
  });
});

describe('an objective', () => {
  it('A loaded objective shows the desired norm as l1Norm and no bounds in its results', () => {
    const loaded = presentLoadedObjectives(objective);
    expect(loaded).toMatchObject({ l1Norm: 0.5, minimumBounds: [-1, 0], ...shown });
    expect(loaded.results.map(({ minimumBound, maximumBound }) => [minimumBound, maximumBound])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(loaded).not.toHaveProperty('desiredL1Norm');
  });

  it('A stored objective shows its inverses, including the optimal one, and no seed', () => {
    const stored = presentObjective({ ...objective, optimalInverseId: 20, stopReason: 1 });
    expect(stored).toMatchObject({ desiredL1Norm: 0.5, stopReason: 1, disabledAt: null, trialId: 5, number: 1 });
    expect(stored.optimalInverse).toEqual(stored.inverses[0]);
    expect(presentObjective(objective).optimalInverse).toBeNull();
    expect(stored).not.toHaveProperty('seed');
  });
});

describe('a model', () => {
  it('A model is written in snake_case', () => {
    const model = { id: 1, name: 'name', description: null, ...instants };
    expect(presentModel(model)).toEqual({
      id: 1,
      name: 'name',
      description: null,
      created_at: shown.createdAt,
      updated_at: shown.updatedAt,
      disabled_at: null,
    });
  });
});
