import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  compileGoal,
  distanceToInterval,
  evaluateOutput,
  exactThreshold,
  isInside,
} from '../../../src/domain/search/acceptance.ts';
import {
  hasBounds,
  OBJECTIVE_TYPES,
  type ObjectiveDefinition,
  type ObjectiveType,
} from '../../../src/domain/search/objective.ts';
import { anyJudged, finiteDouble, judged, SEPARATE_TYPES } from '../../support/arbitraries.ts';

interface Row {
  readonly type: ObjectiveType;
  readonly target: number;
  readonly lo: number | null;
  readonly hi: number | null;
  readonly y: number;
  readonly convergence: number;
  readonly desiredL1Norm: number;
  readonly satisfied: boolean;
  readonly error: number;
  /** [lower, upper, lowerOpen, upperOpen], null for an infinite end; the whole is null if no double satisfies. */
  readonly interval: readonly [number | null, number | null, boolean, boolean] | null;
  readonly note: string;
}

interface VectorRow {
  readonly types: readonly ObjectiveType[];
  readonly targets: readonly number[];
  readonly lo: readonly number[];
  readonly hi: readonly number[];
  readonly outputs: readonly number[];
  readonly convergence: number;
  readonly desiredL1Norm: number;
  readonly satisfied: readonly boolean[];
  readonly errors: readonly number[];
  readonly l1Norm: number;
  readonly stepConvergence: number;
  readonly threshold: number | null;
  readonly note: string;
}

const file = new URL('../../reference/judging.json', import.meta.url);
const golden = JSON.parse(readFileSync(file, 'utf8')) as { rows: readonly Row[]; vectors: readonly VectorRow[] };

function definitionOf(row: Row): ObjectiveDefinition {
  return {
    objectives: [row.target],
    objectiveTypes: [row.type],
    minimumBounds: row.lo === null ? [] : [row.lo],
    maximumBounds: row.hi === null ? [] : [row.hi],
    desiredL1Norm: row.desiredL1Norm,
    convergence: row.convergence,
  };
}

/** The reference rounds once, the code at most `roundings` times. */
function expectNear(actual: number, expected: number, roundings: number): void {
  const tolerance = roundings * Number.EPSILON * Math.abs(expected) + Number.MIN_VALUE;
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(tolerance);
}

describe('the golden table of judged outputs', () => {
  it('The table has at least 200 rows, with satisfied and unsatisfied ones for every type', () => {
    expect(golden.rows.length).toBeGreaterThanOrEqual(200);
    for (const type of OBJECTIVE_TYPES) {
      const verdicts = new Set(golden.rows.filter((row) => row.type === type).map((row) => row.satisfied));
      expect(verdicts, type).toEqual(new Set([true, false]));
    }
  });

  test.each(golden.rows)(
    'A $type objective with target $target and bounds $lo to $hi judges the output $y as $satisfied $note',
    (row) => {
      const [result] = evaluateOutput(definitionOf(row), [row.y]).results;
      expect(result?.satisfied).toBe(row.satisfied);
      expectNear(result?.error ?? Number.NaN, row.error, row.type === 'percent' ? 3 : 0);
    },
  );

  test.each(golden.rows.filter((row) => row.type !== 'exact'))(
    'The interval of a $type objective with target $target and bounds $lo to $hi matches the table $note',
    (row) => {
      const interval = compileGoal(definitionOf(row)).targets[0]!;
      if (row.interval === null) {
        const isEmpty = interval.lower > interval.upper || interval.lowerOpen || interval.upperOpen;
        expect(isEmpty).toBe(true);
        return;
      }
      const [lower, upper, lowerOpen, upperOpen] = row.interval;
      expect(interval.lower + 0).toBe(lower ?? -Infinity);
      expect(interval.upper + 0).toBe(upper ?? Infinity);
      expect([interval.lowerOpen, interval.upperOpen]).toEqual([lowerOpen, upperOpen]);
    },
  );

  test.each(golden.vectors)(
    'Objectives $types with targets $targets judge the outputs $outputs as $satisfied $note',
    (row) => {
      const definition: ObjectiveDefinition = {
        objectives: row.targets,
        objectiveTypes: row.types,
        minimumBounds: row.lo,
        maximumBounds: row.hi,
        desiredL1Norm: row.desiredL1Norm,
        convergence: row.convergence,
      };
      const evaluation = evaluateOutput(definition, row.outputs);
      const roundings = 4 * row.targets.length;
      expect(evaluation.results.map((result) => result.satisfied)).toEqual(row.satisfied);
      evaluation.results.forEach((result, j) => {
        expectNear(result.error, row.errors[j]!, 3);
      });
      expectNear(evaluation.l1Norm, row.l1Norm, roundings);
      expectNear(evaluation.convergence, row.stepConvergence, roundings);
      expect(evaluation.isSatisfied).toBe(row.satisfied.every((one) => one));
      if (row.threshold !== null) expectNear(exactThreshold(definition), row.threshold, roundings);
    },
  );
});

describe('results', () => {
  it('Results are numbered from 0, one per output, and have bounds only if the type has them', () => {
    fc.assert(
      fc.property(anyJudged, ({ definition, output }) => {
        const { results } = evaluateOutput(definition, output);
        expect(results).toHaveLength(definition.objectives.length);
        results.forEach((result, j) => {
          const bounded = hasBounds(definition.objectiveTypes[j]!);
          expect(result).toMatchObject({
            number: j,
            type: definition.objectiveTypes[j],
            objective: definition.objectives[j],
            output: output[j],
            minimumBound: bounded ? definition.minimumBounds[j] : null,
            maximumBound: bounded ? definition.maximumBounds[j] : null,
          });
        });
      }),
    );
  });

  it('Results contain neither NaN nor infinity for any finite doubles', () => {
    const extreme = fc.record({ pick: anyJudged, replacement: fc.array(finiteDouble, { minLength: 5, maxLength: 5 }) });
    fc.assert(
      fc.property(extreme, ({ pick, replacement }) => {
        const output = pick.output.map((_, j) => replacement[j]!);
        const evaluation = evaluateOutput(pick.definition, output);
        const { results, l1Norm, convergence } = evaluation;
        const figures = results.flatMap(({ objective, output, error }) => [objective, output, error]);
        expect([l1Norm, convergence, ...figures].filter((figure) => !Number.isFinite(figure))).toEqual([]);
        expect(Math.min(l1Norm, convergence)).toBeGreaterThanOrEqual(0);
        expect(results.map(({ detail }) => detail).join(' ')).not.toMatch(/NaN|Infinity|undefined|null/);
        const { targets } = compileGoal(pick.definition);
        expect(targets.filter(({ lower, upper }) => !(lower < Infinity && upper > -Infinity))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('A result explains itself in one sentence with the output, the target and the verdict', () => {
    fc.assert(
      fc.property(anyJudged, ({ definition, output }) => {
        evaluateOutput(definition, output).results.forEach((result, j) => {
          expect(result.detail).toMatch(/^[A-Z][^\n]*\.$/);
          expect(result.detail.match(/\. |\.$/g)).toHaveLength(1);
          expect(result.detail).toContain(`Output ${output[j]} `);
          expect(result.detail).toContain(`${definition.objectives[j]}`);
          expect(result.detail).toContain(result.satisfied ? ' is satisfied' : ' is not satisfied');
        });
      }),
    );
  });

  it('The explanation names the allowed range for percent and value, and the threshold for exact', () => {
    const base = { minimumBounds: [-2.5], maximumBounds: [7.5], desiredL1Norm: 0.75, convergence: 1e-9 };
    const detail = (type: ObjectiveType): string =>
      evaluateOutput({ ...base, objectives: [40], objectiveTypes: [type] }, [41]).results[0]!.detail;
    expect(detail('percent')).toContain('by 2.5 percent; the allowed range is -2.5 to 7.5 percent');
    expect(detail('value')).toContain('is 37.5 to 47.5');
    expect(detail('exact')).toContain('L1 norm 1 of all outputs is above the threshold 0.75');
  });
});

describe('the verdict', () => {
  it('An output satisfies every type except exact if and only if it lies in its interval', () => {
    fc.assert(
      fc.property(judged(SEPARATE_TYPES), ({ definition, output }) => {
        const { targets } = compileGoal(definition);
        const verdicts = evaluateOutput(definition, output).results.map(({ satisfied }) => satisfied);
        expect(verdicts).toEqual(output.map((y, j) => isInside(targets[j]!, y)));
      }),
      { numRuns: 1000 },
    );
  });

  it('A percent objective is satisfied if 100 (y - t) / |t| is within both bounds, wherever that can be computed', () => {
    fc.assert(
      fc.property(judged(['percent'], 1), ({ definition, output }) => {
        const [t, y] = [definition.objectives[0]!, output[0]!];
        fc.pre(Number.isFinite(100 * (y - t)));
        const deviation = (100 * (y - t)) / Math.abs(t);
        const expected = definition.minimumBounds[0]! <= deviation && deviation <= definition.maximumBounds[0]!;
        expect(evaluateOutput(definition, output).isSatisfied).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('A satisfied output stays satisfied when a bound is widened', () => {
    const grown = fc.tuple(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.boolean());
    fc.assert(
      fc.property(judged(['percent', 'value'], 1), grown, ({ definition, output }, [by, up]) => {
        fc.pre(evaluateOutput(definition, output).isSatisfied);
        const minimum = definition.minimumBounds[0]! - (up ? 0 : by);
        const maximum = definition.maximumBounds[0]! + (up ? by : 0);
        fc.pre(Number.isFinite(minimum) && Number.isFinite(maximum));
        const wider = { ...definition, minimumBounds: [minimum], maximumBounds: [maximum] };
        expect(evaluateOutput(wider, output).isSatisfied).toBe(true);
      }),
    );
  });

  it('Satisfied exact objectives stay satisfied when the desired norm or the convergence grows', () => {
    const growth = fc.double({ min: 1, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(judged(['exact']), growth, growth, ({ definition, output }, a, b) => {
        fc.pre(evaluateOutput(definition, output).isSatisfied);
        const desiredL1Norm = Math.min(Number.MAX_VALUE, definition.desiredL1Norm * a);
        const convergence = Math.min(Number.MAX_VALUE, definition.convergence * b);
        expect(evaluateOutput({ ...definition, desiredL1Norm, convergence }, output).isSatisfied).toBe(true);
      }),
    );
  });

  it('A one-sided objective is satisfied if its error is 0, except exactly at an open end', () => {
    const types = SEPARATE_TYPES.filter((type) => !hasBounds(type));
    fc.assert(
      fc.property(judged(types), ({ definition, output }) => {
        const { targets } = compileGoal(definition);
        const { results } = evaluateOutput(definition, output);
        const expected = results.map(({ error }, j) => {
          const { lowerOpen, upperOpen } = targets[j]!;
          const isOnOpenEnd = (lowerOpen || upperOpen) && output[j] === definition.objectives[j];
          return error === 0 && !isOnOpenEnd;
        });
        expect(results.map(({ satisfied }) => satisfied)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('Every separately judged type is satisfied at distance 0 from its interval, except at an open end and if no output can satisfy it', () => {
    fc.assert(
      fc.property(judged(SEPARATE_TYPES, 1), ({ definition, output }) => {
        const interval = compileGoal(definition).targets[0]!;
        const { convergence, isSatisfied } = evaluateOutput(definition, output);
        const distance = distanceToInterval(interval, output[0]!);
        if (isSatisfied) expect([distance, convergence]).toEqual([0, 0]);
        else if (!interval.lowerOpen && !interval.upperOpen) expect(distance).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('The verdict on one output does not depend on the others unless the type is exact', () => {
    fc.assert(
      fc.property(judged(SEPARATE_TYPES, 5), fc.array(finiteDouble, { minLength: 5, maxLength: 5 }), (pick, others) => {
        const { definition, output } = pick;
        const before = evaluateOutput(definition, output).results;
        for (let j = 0; j < output.length; j++) {
          const changed = output.map((y, k) => (k === j ? y : others[k]!));
          const after = evaluateOutput(definition, changed).results[j]!;
          expect(after).toEqual(before[j]);
        }
      }),
    );
  });

  it('Exact objectives all get the same verdict', () => {
    fc.assert(
      fc.property(judged(['exact']), ({ definition, output }) => {
        const { results, isSatisfied } = evaluateOutput(definition, output);
        for (const result of results) expect(result.satisfied).toBe(isSatisfied);
      }),
    );
  });

  it('The verdict on exact objectives agrees with the L1 norm shown', () => {
    fc.assert(
      fc.property(judged(['exact']), ({ definition, output }) => {
        const { isSatisfied, l1Norm } = evaluateOutput(definition, output);
        fc.pre(l1Norm < Number.MAX_VALUE);
        expect(isSatisfied).toBe(l1Norm <= exactThreshold(definition));
      }),
    );
  });

  it('An evaluation is satisfied if and only if all its results are', () => {
    fc.assert(
      fc.property(anyJudged, ({ definition, output }) => {
        const { results, isSatisfied } = evaluateOutput(definition, output);
        expect(isSatisfied).toBe(results.every((result) => result.satisfied));
      }),
    );
  });
});

describe('the compiled goal', () => {
  it('Exact outputs that are all within their shares satisfy the threshold, except for rounding', () => {
    fc.assert(
      fc.property(judged(['exact']), ({ definition }) => {
        fc.pre(definition.objectives.every((t) => Math.abs(t) < 1e100) && exactThreshold(definition) < 1e100);
        const { targets, l1 } = compileGoal(definition);
        const corner = targets.map(({ upper }) => upper);
        const total = corner.reduce((sum, y, j) => sum + Math.abs(y - definition.objectives[j]!), 0);
        const magnitude = definition.objectives.reduce((sum, t) => sum + Math.abs(t), l1!.threshold);
        expect(total).toBeLessThanOrEqual(l1!.threshold + 8 * Number.EPSILON * magnitude);
      }),
    );
  });

  it('A goal has a joint L1 norm only for exact objectives', () => {
    fc.assert(
      fc.property(anyJudged, ({ definition }) => {
        const { l1 } = compileGoal(definition);
        if (definition.objectiveTypes[0] !== 'exact') expect(l1).toBeNull();
        else expect(l1).toEqual({ center: definition.objectives, threshold: exactThreshold(definition) });
      }),
    );
  });

  it('A goal has a direction only for minimize and maximize', () => {
    const definition = {
      objectives: OBJECTIVE_TYPES.map(() => 1),
      objectiveTypes: OBJECTIVE_TYPES,
      minimumBounds: OBJECTIVE_TYPES.map(() => -1),
      maximumBounds: OBJECTIVE_TYPES.map(() => 1),
      desiredL1Norm: 0,
      convergence: 1e-6,
    };
    const directions = compileGoal(definition).targets.map(({ direction }) => direction);
    const expected = OBJECTIVE_TYPES.map((type) => (type === 'minimize' || type === 'maximize' ? type : 'none'));
    expect(directions).toEqual(expected);
  });
});
