/** Two targets that cannot be met together, and the diagnosis of a search for them. */
import type { WeighedDefinition } from '../../../src/domain/search/nearest.ts';
import type { Diagnosis } from '../../../src/optimizer/interface/insights.ts';

export const definition: WeighedDefinition = {
  options: null,
  objectives: [10, -4],
  objectiveTypes: ['value', 'percent'],
  minimumBounds: [-1, -1],
  maximumBounds: [1, 1],
  desiredL1Norm: 0,
  convergence: 1e-6,
};

export const diagnosis: Diagnosis = {
  nearestInput: [1],
  nearestOutput: [12, -3],
  nearestIs: 'predicted',
  l1Norm: null,
  unmet: [
    { output: 0, distance: 1.00001, isOutOfReachAlone: true },
    { output: 1, distance: 0.96, isOutOfReachAlone: false },
  ],
  conflicts: [],
};
