/** Arbitrary objectives with inverses in any state, to test how they are presented. */
import fc from 'fast-check';
import type { Inverse } from '../../src/domain/search/inverse.ts';
import type { ObjectiveWithInverses } from '../../src/domain/search/objective.ts';
import { toPositiveZero, withoutNegativeZero } from '../../src/domain/vectors.ts';
import { anyJudged, type Judged } from './arbitraries.ts';
import { LEARNS_ALONE } from './learns-alone.ts';
import { NOTHING_JUDGED } from './nothing-judged.ts';

export const instants = { createdAt: new Date(0), updatedAt: new Date(1), disabledAt: null };
const instant = fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }));
const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });

/** Objectives with up to four inverses in any state, which have the output of the judged definition or none. */
export const history = fc
  .tuple(
    anyJudged,
    fc.array(
      fc.record({
        id,
        isComputed: fc.boolean(),
        isLoaded: fc.boolean(),
        loadedAt: instant,
        satisfiedAt: instant,
        stoppedAt: instant,
        exhaustedAt: instant,
        suggestTimeNs: fc.maxSafeNat(),
      }),
      { maxLength: 4 },
    ),
  )
  .map(([{ definition, output }, states]) => toObjective({ definition, output: withoutNegativeZero(output) }, states));

function toObjective(
  { definition, output }: Judged,
  states: readonly Record<string, unknown>[],
): ObjectiveWithInverses {
  const inverses = states.map(
    ({ isComputed, isLoaded, ...state }, i) =>
      ({
        ...instants,
        ...state,
        objectiveId: 1,
        iteration: i + 1,
        status: 'active',
        input: isComputed ? [i] : null,
        output: isComputed && isLoaded ? output : null,
        basisOutput: isLoaded ? null : output,
        computeTimeNs: 0,
        suggestedAt: null,
        failedAt: null,
        failureReason: null,
        basis: null,
        completedOrder: null,
        learnedFrom: null,
        excludedAt: null,
        expected: null,
      }) as Inverse,
  );
  return {
    ...definition,
    // Requests cannot contain -0, and JSON does not keep it.
    objectives: withoutNegativeZero(definition.objectives),
    minimumBounds: definition.minimumBounds.map((bound) => bound && toPositiveZero(bound)),
    maximumBounds: definition.maximumBounds.map((bound) => bound && toPositiveZero(bound)),
    ...instants,
    id: 1,
    trialId: 1,
    number: 1,
    initialInput: [0],
    initialOutput: output,
    maximumAttempts: 500,
    attemptCount: inverses.length,
    stopReason: 0,
    optimalInverseId: inverses[0]?.id ?? null,
    seed: 7,
    labels: null,
    ...NOTHING_JUDGED,
    ...LEARNS_ALONE,
    inverses,
  };
}
