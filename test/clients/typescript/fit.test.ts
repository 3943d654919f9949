/** Outputs that are arrays, fitted to data. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { CurveError } from '../../../clients/typescript/src/solve/curve.ts';
import { readCurve } from '../../../clients/typescript/src/solve/fit.ts';
import {
  atMost,
  below,
  type Curve,
  // The name of the runner's own function for a focused test.
  fit as fitTo,
  log,
  minimize,
  real,
  type SolveOptions,
  solve,
} from '../../../clients/typescript/src/solve.ts';
import { openPlaces, type Places } from './places.ts';

let here: Places['here'];
let folder: Places['folder'];
beforeAll(async () => {
  const places = await openPlaces();
  ({ here, folder } = places);
  return places.close;
});

const TIMES = [0, 0.5, 1, 1.5, 2, 3, 4];
const ERRORS = [0.02, -0.03, 0.01, 0.02, -0.02, -0.01, 0.01];
const INPUTS = { height: real(0.5, 5), rate: log(0.05, 3) };
const GRID = Array.from({ length: 401 }, (_, i) => i / 100);

interface Tank {
  readonly height: number;
  readonly rate: number;
}
const decay = ({ height, rate }: Tank, times: readonly number[] = TIMES) =>
  times.map((time) => height * Math.exp(-rate * time));
const DATA = decay({ height: 2, rate: 0.7 }).map((value, i) => value + ERRORS[i]!);

describe('fit', () => {
  it('ends with the best fit, and with what the data tell about the inputs', async () => {
    const options = {
      ...here(),
      inputs: INPUTS,
      goals: { level: fitTo(DATA, { sigma: 0.02, x: TIMES }), cost: atMost(9) },
      budget: 40,
    };
    let calls = 0;
    const tank = (input: Tank) => {
      calls++;
      return { level: [GRID, decay(input, GRID)] as const, cost: 2 * input.height };
    };
    const result = await solve(tank, options);
    expect(result).toMatchObject({ status: 'satisfied', reason: null });
    expectTypeOf(result.best!.output).toEqualTypeOf<{ readonly level: readonly number[]; readonly cost: number }>();
    const { input, output, misses } = result.best!;
    expect(Math.abs(input.height / 2 - 1)).toBeLessThan(0.05);
    expect(Math.abs(input.rate / 0.7 - 1)).toBeLessThan(0.05);
    expect(misses).toEqual({ cost: 0 });
    const found = result.fit!;
    const chiSquare = output.level.reduce((sum, value, i) => sum + ((value - DATA[i]!) / 0.02) ** 2, 0);
    expect(found.chiSquare! / chiSquare).toBeCloseTo(1, 6);
    expect(found).toMatchObject({ freedom: 5, warnings: [], data: { level: { values: DATA } } });
    const { kind, low, high, standardError } = found.parameters.height!;
    expect(kind).toBe('identifiable');
    expect(low!).toBeLessThan(2);
    expect(high!).toBeGreaterThan(2);
    expect(standardError! / ((high! - low!) / 3.92)).toBeCloseTo(1, 0);
    expect(found.correlations.height!.rate!).toBeGreaterThan(0.3);
    expect(found.bands.level!.predicted).toHaveLength(7);
    expect(found.bands.cost!.low[0]!).toBeLessThan(4);
    expect(found.bands.cost!.high[0]!).toBeGreaterThan(4);
    expect(found.slopes.cost![0]![0]! / 2).toBeCloseTo(1, 1);
    expect(Object.keys(found.verify[0]!)).toEqual(['height', 'rate']);
    expect(found.sentences.join(' ')).toContain('95 % interval');

    expect((await solve(tank, options)).history).toEqual(result.history);
    expect(calls).toBe(result.history.length);
  });

  it('verify runs the ends of intervals of which the models are unsure, once', async () => {
    const made: Tank[] = [];
    const growth = (input: Tank) => {
      made.push(input);
      return { level: TIMES.map((time) => input.height * Math.atan(input.rate ** 1.5 * time)) };
    };
    const data = growth({ height: 2, rate: 0.7 }).level.map((value, i) => value + 10 * ERRORS[i]!);
    made.length = 0;
    const inputs = { height: real(0.5, 5), rate: real(0.05, 3) };
    const options = { ...here(), inputs, goals: { level: fitTo(data, { sigma: 0.2 }) }, budget: 40 };
    const plain = await solve(growth, options);
    const count = made.length;
    const verified = await solve(growth, { ...options, verify: 2 });
    const further = made.slice(count);
    expect([1, 2]).toContain(further.length);
    expect(verified.history.slice(count).map(({ input }) => input)).toEqual(further);
    expect(verified.history.at(-1)).toMatchObject({ name: 'verifying run', number: null, kind: 'designed' });
    expect(verified.fit!.parameters.height!.low).not.toBe(plain.fit!.parameters.height!.low);
    expect(await solve(growth, { ...options, verify: 2 })).toEqual(verified);
    expect(made).toHaveLength(count + further.length);
    const goals = { level: atMost(1) };
    const limit = solve(({ height }) => ({ level: height }), { ...here(), inputs, goals, verify: 1 });
    await expect(limit).rejects.toThrow('verify runs the ends of the intervals of a fit');
  });

  it('The only output may be an array, with gaps and unknown errors, and a NaN in it is a failed run', async () => {
    let calls = 0;
    const result = await solve(
      (input) => {
        const curve = decay(input);
        return ++calls === 2 ? [...curve.slice(0, 6), Number.NaN] : Float64Array.from(curve);
      },
      { ...here(), inputs: INPUTS, goals: { level: fitTo(DATA.with(2, Number.NaN)) }, budget: 40 },
    );
    expect(result.status).toBe('satisfied');
    expect(result.history[1]).toMatchObject({ output: null, error: 'level[6] is NaN' });
    expect(result.best!.output.level).toHaveLength(6);
    expect(result.fit!.chiSquare).toBeNull();
    expect(result.fit!.scales.level!).toBeGreaterThan(0.01);
    expect(result.fit!.scales.level!).toBeLessThan(0.04);
  });

  it('A curve that ends before its data ends the call, and says what to do', async () => {
    const options = { ...here(), inputs: INPUTS, goals: { level: fitTo(DATA, { x: TIMES }) } };
    const short = ({ height, rate }: Tank): Curve => [
      [0, 1],
      [height, rate],
    ];
    await expect(solve(short, options)).rejects.toThrow(
      'The output level covers 0 to 1, and its data need 1.5: compute a longer curve, or leave out these data.',
    );
  });

  const beside = (
    options: Partial<SolveOptions<typeof INPUTS, Record<string, ReturnType<typeof fitTo | typeof below>>>>,
  ) => solve(() => 0, { ...here(), inputs: INPUTS, goals: { level: fitTo(DATA), cost: below(9) }, ...options });

  it('says what cannot go with a fit, and what to do instead', async () => {
    await expect(beside({ noise: 'estimate' })).rejects.toThrow('noise cannot go with a fit: state the errors');
    await expect(beside({ priorities: { cost: 2 } })).rejects.toThrow(
      'priorities cannot go with a fit: leave them out',
    );
    await expect(beside({ weights: { level: 2 } })).rejects.toThrow(
      'weights cannot have level, a fit: state weight in',
    );
    await expect(beside({ goals: { level: fitTo(DATA), cost: minimize() } })).rejects.toThrow(
      'must not be minimize beside a fit, which is what the search minimizes: state a limit, or add the value to the fit.',
    );
  });

  it('reads data from a file, with gaps and a column of standard errors', async () => {
    const file = path.join(folder, 'level.csv');
    await writeFile(file, '\uFEFFtime, level, error\n0, 2.0, 0.1\n\n1, , \n2, 1.0, 0.2\n');
    const made = fitTo(file, { x: 'time', y: 'level', sigma: 'error' });
    expect(made).toMatchObject({ values: [2, 1], positions: [0, 2], count: 3, x: [0, 2], sigma: [0.1, 0.2] });
    expect(readCurve('level', made, { time: [0, 2], level: [5, 7] })).toEqual([5, 7]);
    expect(readCurve('level', made, { x: [0, 4], y: [0, 8] })).toEqual([0, 4]);
    expect(() => fitTo(file, { x: 'time', y: 'levle' })).toThrow(
      'it has no column levle; line 1 has time, level, error',
    );
    await writeFile(file, 'time;level\n0;2,5\n1;high\n');
    expect(() => fitTo(file, { x: 'time', y: 'level' })).toThrow(
      'level.csv, line 2: level is "2,5", which is not a number; write a decimal point.',
    );
  });

  it.each([
    [[], {}, 'have no value'],
    [[null, Number.NaN], {}, 'have no value'],
    [[Number.POSITIVE_INFINITY], {}, 'finite'],
    [5, {}, 'must be an array of numbers'],
    ['level.csv', {}, 'ENOENT'],
    [[1, 2], { sigma: 0 }, 'positive'],
    [[1, 2], { sigma: [1] }, '1 numbers for 2 values'],
    [[1, 2], { sigma: [1, -1] }, 'positive and finite where there is a value'],
    [[1, 2], { sigma: 'error' }, 'names a column of a file'],
    [[0, 2], { sigma: { relative: 0.1 } }, 'other than 0'],
    [[1, 2], { sigma: { relativ: 0.1 } }, 'did you mean sigma.relative?'],
    [[1, 2], { x: [1] }, 'x has 1 numbers for 2 values'],
    [[1, 2], { x: [1, Number.NaN] }, 'x must be finite'],
    [[1, 2], { x: 'time' }, 'belong to a file'],
    [[1, 2], { sigma: 1, loss: 'hubert' }, 'must be one of linear'],
    [[1, 2], { loss: 'huber' }, 'needs sigma'],
    [[1, 2], { sgima: 1 }, 'did you mean sigma?'],
  ])('refuses wrong data: %j %j', (data, options, message) => {
    expect(() => fitTo(data as number[], options as object)).toThrow(message);
  });

  it.each([
    [[1, 2], '2 values instead of 3, as many as its data. Return a pair'],
    [5, 'must be an array of 3 values'],
    [{ a: 1 }, 'has no x and y; it has a'],
    [
      [
        [0, 1],
        [1, 2, 3],
      ],
      'on a grid of 2 points',
    ],
    [
      [
        [0, 2, 1],
        [1, 2, 3],
      ],
      'Row 3 of the grid of the output level goes back, from 2 to 1',
    ],
    [
      [
        [0, 1.5],
        [1, 2],
      ],
      'covers 0 to 1.5, and its data need 2',
    ],
    [
      [
        [0, 'b'],
        [1, 2],
      ],
      'Row 2 of the grid of the output level is "b", which is not a number',
    ],
  ])('refuses a curve that is none: %j', (curve, message) => {
    const made = fitTo([1, 2, 3], { x: [0, 1, 2] });
    expect(() => readCurve('level', made, curve)).toThrow(CurveError);
    expect(() => readCurve('level', made, curve)).toThrow(message);
  });

  it('interpolates grids in both directions, and forgives a rounded end', () => {
    const made = fitTo([1, 2, 3], { x: [0, 1, 2] });
    expect(
      readCurve('level', made, [
        [2, 1, 0],
        [4, 2, 0],
      ]),
    ).toEqual([0, 2, 4]);
    expect(readCurve('level', made, [[0, 2 - 1e-12], Float64Array.of(0, 4)])).toMatchObject([0, expect.closeTo(2), 4]);
    expect(
      readCurve('level', made, [
        [0, 1, 2, 3],
        [0, 1, 2, Number.NaN],
      ]),
    ).toEqual([0, 1, 2]);
    expect(readCurve('level', made, [7, 8, 9])).toEqual([7, 8, 9]);
  });
});

describe('data sets under conditions', () => {
  const at = (temperature: number, k = 0.7, energy = 0.5, times = TIMES) =>
    times.map((time) => Math.exp(-k * Math.exp((energy * (temperature - 300)) / 20) * time));
  const set = (temperature: number) =>
    fitTo(at(temperature), { sigma: 0.01, x: TIMES, when: { temperature }, output: 'level' });
  const inputs = { k: log(0.05, 3), energy: real(0, 2) };

  it('are one run: the black box is called once under each', async () => {
    const called: unknown[] = [];
    const result = await solve(
      ({ k, energy }, _signal, { temperature }) => {
        called.push(temperature);
        const level = [GRID, at(Number(temperature), k, energy, GRID)] as const;
        return temperature === 280 ? { level, cost: 3 } : { level };
      },
      { ...here(), inputs, goals: { cold: set(280), warm: set(320), cost: atMost(9) }, budget: 40 },
    );
    expect(result.status).toBe('satisfied');
    expect(result.best!.input.k).toBeCloseTo(0.7, 1);
    expect(result.best!.output).toMatchObject({ cost: 3 });
    expect(called).toEqual(result.history.flatMap(() => [280, 320]));
  });

  it('may be the only output, and are refused where a call could not be told', async () => {
    const alone = await solve(({ k, energy }, _signal, when) => at(Number(when['temperature']), k, energy), {
      ...here(),
      inputs,
      goals: { cold: set(280), warm: set(320) },
      budget: 30,
    });
    expect(alone.status).toBe('satisfied');
    const refused = (warm: object) =>
      solve(() => [1], { ...here(), inputs, goals: { cold: set(280), warm: fitTo([1, 2], warm) } });
    await expect(refused({})).rejects.toThrow('The data of warm need when, as the other data sets have it.');
    await expect(refused({ when: { k: 1 } })).rejects.toThrow('The data of warm fix k, which the search varies');
    await expect(refused({ when: { pressure: 1 } })).rejects.toThrow(
      'the same conditions in when, not pressure and temperature',
    );
    expect(() => fitTo([1], { output: 'level' })).toThrow('give when, or leave out output');
  });
});
