/** The SDK dialect presents any history so that it can be read back as JSON, and projects as they were sent. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/domain/matrix.ts';
import { NO_NAMES } from '../../src/domain/problem/names.ts';
import { readBody } from '../../src/http/body/read-body.ts';
import { inverseSchema, presentInverse, resultId } from '../../src/http/sdk/inverses.wire.ts';
import { objectiveSchema, presentObjective } from '../../src/http/sdk/objectives.wire.ts';
import { newProject, presentProject } from '../../src/http/sdk/projects.wire.ts';
import { CLIENT_READERS } from '../http/sdk/client-readers.ts';
import { inputSpace } from '../support/arbitraries.ts';
import { history, instants } from '../support/histories.ts';

describe('an objective and its inverses', () => {
  it('An objective and its inverses match the schema and every client, whatever the numbers', () => {
    fc.assert(
      fc.property(history, (objective) => {
        const shown = JSON.parse(JSON.stringify(presentObjective(objective)));
        expect(objectiveSchema.safeParse(shown).error).toBeUndefined();
        expect(shown).toEqual(presentObjective(objective));
        for (const reader of Object.values(CLIENT_READERS)) {
          expect(reader.objective.safeParse(shown).error).toBeUndefined();
        }
      }),
    );
  });

  it('An inverse has one error per output, and results if and only if there is an output', () => {
    fc.assert(
      fc.property(history, (objective) => {
        for (const inverse of objective.inverses) {
          const shown = presentInverse(objective, inverse);
          expect(inverseSchema.safeParse(shown).error).toBeUndefined();
          expect(shown.errors).toHaveLength(objective.objectives.length);
          expect(shown.results).toHaveLength(inverse.output === null ? 0 : objective.objectives.length);
          expect(shown.results.map((result) => result.error)).toEqual(inverse.output === null ? [] : shown.errors);
        }
      }),
    );
  });
});

describe('the id of a result', () => {
  it('The id of a result fits into 32 bits and differs within an inverse and from its neighbors', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 999 }), (inverseId, number) => {
        const own = resultId(inverseId, number);
        expect(own).toBeGreaterThan(0);
        expect(own).toBeLessThan(2 ** 31);
        expect(resultId(inverseId, number)).toBe(own);
        expect(resultId(inverseId, (number + 1) % 1000)).not.toBe(own);
        expect(resultId(inverseId + 1, number)).not.toBe(own);
      }),
    );
  });
});

describe('a project', () => {
  it('A project is answered as it was sent, with its categories in one flat list', () => {
    fc.assert(
      fc.property(inputSpace, (space) => {
        const body = JSON.parse(JSON.stringify({ name: 'Any name', ...space, categories: space.categories.flat() }));
        const { value: made } = readBody(newProject, body);
        expect(made!.space).toEqual(JSON.parse(JSON.stringify(space)));
        const project = { ...made!.space, ...instants, id: 1, modelId: 1, name: made!.name, caseCount: 0, seed: 1 };
        const whole = {
          ...project,
          names: NO_NAMES,
          outputCount: null,
          sources: null,
          maximumEvaluations: null,
          developedAt: null,
        };
        expect(presentProject(whole, Matrix.from([]), [])).toMatchObject(body);
      }),
    );
  });
});
