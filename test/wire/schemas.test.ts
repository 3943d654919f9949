import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Matrix } from '../../src/domain/matrix.ts';
import { NO_NAMES } from '../../src/domain/problem/names.ts';
import { readBody } from '../../src/http/body/read-body.ts';
import { bodyOf } from '../../src/http/body/spec.ts';
import { newOutputCases } from '../../src/http/native/data/output-cases.wire.ts';
import { modelPatch, newModel } from '../../src/http/native/problem/models.wire.ts';
import { newProject } from '../../src/http/native/problem/projects.wire.ts';
import { newInverseOutput, noFields } from '../../src/http/native/search/inverses.wire.ts';
import { newInverse, newObjectives } from '../../src/http/native/search/new-objective.wire.ts';
import { newModel as sdkModel } from '../../src/http/sdk/models.wire.ts';
import { listSchema, matrixSchema, nullableVectorSchema, vectorSchema } from '../../src/http/wire/vectors.ts';
import { readFields } from '../../src/http/wire/violations.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const LENGTHS = { minimum: 1, maximum: 5 };

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a vector', () => {
  it('A vector passes through JSON and the schema unchanged, except that -0 becomes 0', () => {
    const schema = vectorSchema({ minimum: 0, maximum: 100 });
    fc.assert(
      fc.property(fc.array(finite, { maxLength: 100 }), (values) => {
        expect(schema.parse(throughJson(values))).toEqual(values.map((value) => value + 0));
      }),
    );
    expect(Object.is(schema.parse(JSON.parse('[-0]'))[0], 0)).toBe(true);
  });

  it('A value that is not an array of finite numbers is refused with every violation', () => {
    const schema = z.object({ v: vectorSchema(LENGTHS), bounds: nullableVectorSchema(LENGTHS) });
    const sent = [1, '2', null, Number.POSITIVE_INFINITY, [3]];
    expect(readFields(schema, { v: sent, bounds: sent })).toMatchObject({
      violations: [
        { property: 'v[1]', message: 'must be a finite number, is the string "2".' },
        { property: 'v[2]', message: 'must be a finite number, is null.' },
        { property: 'v[3]', message: 'must be a finite number, is beyond the range of a double precision number.' },
        { property: 'v[4]', message: 'must be a finite number, is an array.' },
        { property: 'bounds[1]' },
        { property: 'bounds[3]' },
        { property: 'bounds[4]' },
      ],
    });
    for (const value of [undefined, null, 7, 'text', {}, [], [1, 2, 3, 4, 5, 6], { length: 1, 0: 1 }]) {
      expect(vectorSchema(LENGTHS).safeParse(value).success).toBe(false);
      expect(nullableVectorSchema(LENGTHS).safeParse(value).success).toBe(false);
    }
  });

  it('A vector of bounds keeps null', () => {
    const bounds = nullableVectorSchema(LENGTHS).parse(JSON.parse('[-0, null, 1.5]'));
    expect(bounds).toEqual([0, null, 1.5]);
  });

  it('No element of an array that is too long is read, and at most a hundred violations are collected', () => {
    const watched = new Proxy(new Array(1_000_000).fill('x'), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) throw new Error('an element was looked at');
        return Reflect.get(target, key);
      },
    });
    for (const schema of [
      vectorSchema(LENGTHS),
      nullableVectorSchema(LENGTHS),
      matrixSchema(LENGTHS, LENGTHS),
      listSchema(z.string(), LENGTHS, 'names'),
    ]) {
      const { error } = schema.safeParse(watched);
      expect(error?.issues).toHaveLength(1);
    }
    const issues = vectorSchema({ minimum: 0, maximum: 1e6 }).safeParse(new Array(500_000).fill('x')).error?.issues;
    expect(issues).toHaveLength(100);
    const rows = new Array(1_000).fill(new Array(1_000).fill(null));
    const wide = { minimum: 0, maximum: 1_000 };
    expect(matrixSchema(wide, wide).safeParse(rows).error?.issues).toHaveLength(100);
  });
});

describe('messages', () => {
  const SCHEMA = z.object({
    text: z.string(),
    count: z.int().min(1).max(9),
    share: z.number().positive(),
    flag: z.boolean(),
    kind: z.enum(['a', 'b']),
    kinds: listSchema(z.enum(['a', 'b']), LENGTHS, 'kinds'),
  });
  it.each([
    [{}, 'kinds', 'is required: send an array of kinds.'],
    [{}, 'text', 'is required: send a string.'],
    [{}, 'count', 'is required: send a finite number.'],
    [{}, 'kind', 'is required: send one of a, b.'],
    [{ text: 7 }, 'text', 'must be a string, is 7.'],
    [{ count: 1.5 }, 'count', 'must be a whole number, is 1.5.'],
    [{ count: '1' }, 'count', 'must be a finite number, is the string "1".'],
    [{ count: 0 }, 'count', 'must be at least 1, is 0.'],
    [{ count: 10 }, 'count', 'must be at most 9, is 10.'],
    [{ share: 0 }, 'share', 'must be greater than 0, is 0.'],
    [
      { share: Number.POSITIVE_INFINITY },
      'share',
      'must be a finite number, is beyond the range of a double precision number.',
    ],
    [{ share: true }, 'share', 'must be a finite number, is true.'],
    [{ flag: 'true' }, 'flag', 'must be true or false, is the string "true".'],
    [{ kind: 'A' }, 'kind', 'must be one of a, b, is the string "A".'],
    [{ text: ['x'] }, 'text', 'must be a string, is an array.'],
    [{ kind: 'x'.repeat(1000) }, 'kind', 'must be one of a, b, is a long string.'],
  ])('The message about %j at %s says what to do', (value, property, message) => {
    const { violations } = readFields(SCHEMA, value);
    expect(violations.find((violation) => violation.property === property)?.message).toBe(message);
  });
});

describe('a body', () => {
  it('A body may be left out if it is optional, and must be an object', () => {
    const schema = z.object({ a: z.number().optional() });
    const spec = bodyOf(schema);
    expect(readBody(bodyOf(schema, { isOptional: true }), undefined)).toEqual({ value: {}, violations: [] });
    for (const sent of [undefined, null, [], 'text', 7]) {
      expect(readBody(spec, sent).violations).toMatchObject([{ property: '', pointer: '' }]);
    }
  });

  it('A body is read into the input of the use cases', () => {
    const { value } = readBody(newProject, {
      name: 'mixed',
      inputCount: 2,
      minimums: [-0, 0],
      maximums: [1, 1],
      inputTypes: ['CONTINUOUS', 'Categorical'],
      categories: ['off', 'on'],
    });
    expect(value).toEqual({
      name: 'mixed',
      names: NO_NAMES,
      space: {
        inputCount: 2,
        minimums: [0, 0],
        maximums: [1, 1],
        inputTypes: ['float', 'category'],
        categories: [[], ['off', 'on']],
      },
      inputCases: null,
      caseCount: null,
      outputCount: null,
    });
  });

  it('Output cases keep valid rows and replace unusable rows of failed runs by zeros', () => {
    const { value } = readBody(newOutputCases, {
      outputCount: 2,
      outputCases: [[1, -0], 'crashed', [null, 1], [5, 6]],
      failedCases: [1, 2, 3],
    });
    expect(value).toEqual({
      outputCount: 2,
      outputCases: Matrix.from([
        [1, 0],
        [0, 0],
        [0, 0],
        [5, 6],
      ]),
      failedCases: [1, 2, 3],
    });
  });

  it('The body of an output becomes a measurement', () => {
    const read = (body: object) => readBody(newInverseOutput, body).value;
    expect(read({ output: [1, 2] })).toEqual({
      kind: 'output',
      output: [1, 2],
      computeTimeNs: null,
      sentJacobian: null,
    });
    expect(read({ output: [1], computeTime: 2.6 })).toEqual({
      kind: 'output',
      output: [1],
      computeTimeNs: 3,
      sentJacobian: null,
    });
    expect(read({ failed: true })).toEqual({ kind: 'failed', reason: null });
    expect(read({ failed: true, reason: 'mesh' })).toEqual({ kind: 'failed', reason: 'mesh' });
  });

  it('The body of objectives gets the defaults', () => {
    const body = {
      objectives: [1],
      objectiveTypes: ['minimize'],
      initialInput: [1],
      initialOutput: [2],
      desiredL1Norm: 0,
    };
    expect(readBody(newObjectives, body).value).toEqual({
      ...body,
      minimumBounds: [],
      maximumBounds: [],
      maximumAttempts: 500,
      convergence: 1e-6,
      boundsRule: 'where-needed',
      reusesByDefault: true,
      continues: null,
      fixedInputs: null,
      constraints: null,
      parallelism: 1,
      holdBack: true,
      weights: null,
      priorities: null,
      noise: null,
      confirm: null,
      fits: null,
      confidence: null,
      confidenceOf: null,
      stop: null,
      inputTolerances: null,
      aimAtRobustness: null,
      robustRuns: null,
      front: null,
    });
    const { initialInput: _input, initialOutput: _output, desiredL1Norm: _norm, ...rest } = body;
    const least = readBody(newObjectives, rest).value!;
    expect(least).toMatchObject({ desiredL1Norm: 0, maximumAttempts: 500 });
    expect(least.initialInput).toBeUndefined();
  });

  it('The body of objectives keeps null in its bounds', () => {
    const bounds = { minimumBounds: [null, -1], maximumBounds: [null, 1] };
    const body = {
      objectives: [1, 2],
      objectiveTypes: ['minimize', 'value'],
      initialInput: [1],
      initialOutput: [2, 3],
      desiredL1Norm: 0,
      convergence: 0.1,
      ...bounds,
    };
    expect(readBody(newObjectives, body).value).toMatchObject(bounds);
    expect(readBody(newInverse, body).value).toMatchObject(bounds);
  });

  it('An unknown field is refused with the nearest known one', () => {
    const { violations } = readBody(newOutputCases, {
      outputCount: 1,
      outputCases: [[1]],
      failedCase: [0],
      output_count: 1,
      comment: 'x',
      '': 1,
    });
    const fields = 'the fields are outputCount, outputCases, failedCases, jacobians.';
    expect(violations).toMatchObject([
      { property: 'failedCase', pointer: '/failedCase', message: 'is not a field; did you mean failedCases?' },
      { property: 'output_count', pointer: '/output_count', message: 'is not a field; did you mean outputCount?' },
      { property: 'comment', pointer: '/comment', message: `is not a field; ${fields}` },
      { property: '', pointer: '/', message: `is not a field; ${fields}` },
    ]);
    expect(readBody(noFields, { wait: 5 }).violations).toMatchObject([
      { property: 'wait', message: 'is not a field; this body takes none.' },
    ]);
  });

  it('Unknown fields are named together with all other violations', () => {
    const { violations } = readBody(newObjectives, { objectives: [1], maximumAttemps: 5, desiredL1Norm: -1 });
    expect(violations.map(({ property }) => property).sort()).toEqual([
      'desiredL1Norm',
      'maximumAttemps',
      'objectiveTypes',
    ]);
  });

  it('An initial input needs its output, and an output its input', () => {
    // Rules that need the trial are checked later; so is this one unless a field is invalid by itself.
    const body = { objectives: [1], objectiveTypes: ['minimize'], maximumAttempts: 0 };
    for (const [given, missing] of [
      ['initialInput', 'initialOutput'],
      ['initialOutput', 'initialInput'],
    ] as const) {
      const { violations } = readBody(newObjectives, { ...body, [given]: [1] });
      expect(violations.map(({ property }) => property).sort()).toEqual([missing, 'maximumAttempts']);
      expect(violations.find(({ property }) => property === missing)!.message).toBe(
        `is required with ${given}: send both, or neither to start from the best case known.`,
      );
    }
  });

  it('Unknown fields are named at every level', () => {
    const point = z.strictObject({ abscissa: z.number(), weight: z.number().optional() });
    const nested = bodyOf(z.strictObject({ points: z.array(point), origin: point.optional() }));
    expect(
      readBody(nested, { points: [{ abscissa: 1 }, { abscissa: 2, wieght: 3 }], origin: { abscissa: 0, unit: 'm' } })
        .violations,
    ).toMatchObject([
      {
        property: 'points[1].wieght',
        pointer: '/points/1/wieght',
        message: 'is not a field; did you mean weight?',
      },
      { property: 'origin.unit', pointer: '/origin/unit', message: 'is not a field; the fields are abscissa, weight.' },
    ]);
  });

  it('A body in the dialect of existing clients may have unknown fields', () => {
    expect(readBody(sdkModel, { name: 'a model', decription: 'a long text' }).violations).toEqual([]);
  });

  it('A body full of violations is refused at a bounded cost', () => {
    const categories = new Array(200).fill(new Array(1_000).fill(''));
    expect(readBody(newProject, { categories }).violations.length).toBeLessThan(4_000);
    const patch = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key${i}`, i]));
    expect(readBody(modelPatch, patch).violations).toHaveLength(100);
    const outputCases = new Array(10_000).fill(new Array(1_000).fill(null));
    expect(readBody(newOutputCases, { outputCount: 1_000, outputCases }).violations).toHaveLength(100);
  });

  it('No body makes a reader throw', () => {
    const fields = [
      'name',
      'outputCount',
      'outputCases',
      'failedCases',
      'objectives',
      'objectiveTypes',
      'minimumBounds',
    ];
    const more = [
      'maximumBounds',
      'initialOutput',
      'inputTypes',
      'categories',
      'inputCases',
      'output',
      'failed',
      'minimums',
    ];
    const json = fc.jsonValue({ maxDepth: 2 });
    const key = fc.constantFrom(...fields, ...more, 'maximums', 'inputCount', 'caseCount', 'toString', 'constructor');
    const body = fc.dictionary(key, fc.oneof(json, fc.array(json), finite), { maxKeys: 12 });
    fc.assert(
      fc.property(body, (value) => {
        for (const spec of [newModel, newProject, newOutputCases, newObjectives, newInverse, newInverseOutput]) {
          const { violations } = readBody(spec as never, value);
          expect(violations.every(({ message }) => message.length > 0)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
