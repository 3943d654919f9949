/** The data of charts: runs as points, predictions as lines, the region that meets the targets. */
import { describe, expect, it } from 'vitest';
import { sliceSeries } from '../../src/dashboard/views/objective/charts/model-lines.ts';
import { mostSensitive } from '../../src/dashboard/views/objective/charts/most-sensitive.ts';
import { endsOf, metPoints, outlineOf, sharesOf } from '../../src/dashboard/views/objective/charts/region.ts';
import { columnsOfRuns } from '../../src/presentation/columns.ts';
import { frontRows } from '../../src/presentation/front-rows.ts';
import { rangeOf, scaleOf, ticksIn } from '../../src/presentation/plot.ts';
import { bandOf, isWorthLog, placesOf, pointSeries, rowsByKind } from '../../src/presentation/run-points.ts';
import { bestSoFar } from '../../src/presentation/value-so-far.ts';

const COLOURS = { mark: 'mark', muted: 'muted', unmet: 'unmet', accent: 'accent', text: 'text' };

function columnsOf(
  runs: readonly {
    output: number[] | null;
    status?: string;
    excluded?: boolean;
    misses?: number[];
    sourceName?: string;
  }[],
) {
  const sent = runs.map(({ output, status = 'active', excluded = false, misses, sourceName }, k) => ({
    ...{ iteration: k + 1, number: k + 1, inverseId: k + 1, status, excluded, input: [k], output },
    sourceName,
    ...{ misses: misses ?? output?.map(() => 0) ?? null, missedBy: output?.map(() => 0) ?? null },
  }));
  return columnsOfRuns(sent as unknown as Parameters<typeof columnsOfRuns>[0], 1, runs[0]!.output!.length);
}

describe('the best value so far of an output without a target', () => {
  const columns = columnsOf([
    { output: [9, 8], misses: [0, 3] },
    { output: [5, 1] },
    { output: [4, 1], excluded: true },
    { output: null, status: 'failed' },
    { output: [7, 2] },
  ]);
  const worst = Float64Array.of(3, 0, 0, Number.NaN, 0);

  it('is that of runs that meet all other targets', () => {
    expect([...bestSoFar(columns, { worst }, { objectiveTypes: ['minimize'] }, 0)]).toEqual([Number.NaN, 5, 5, 5, 5]);
  });

  it('rises where the output is maximized', () => {
    expect([...bestSoFar(columns, { worst }, { objectiveTypes: ['maximize'] }, 0)]).toEqual([Number.NaN, 5, 5, 5, 7]);
  });
});

describe('runs as points', () => {
  const columns = columnsOf([
    { output: [1] },
    { output: [5] },
    { output: null, status: 'failed' },
    { output: [7], excluded: true },
    { output: [4] },
  ]);
  const runs = { columns, otherCount: 1, best: 4 };

  it('tells own, earlier, excluded and failed runs and the best one apart', () => {
    const ys = columns.outputs[0]!;
    const series = pointSeries(runs, rowsByKind(runs, true), { xs: placesOf(runs), ys }, COLOURS);
    expect(series.map(({ label, shape, rows }) => [label, shape, rows && Array.from(rows)])).toEqual([
      ['Earlier run of the trial', 'dot', [0]],
      ['Run', 'square', [1, 4]],
      ['Excluded', 'hollow', [3]],
      ['Failed', 'top-cross', [2]],
      ['Best', 'ring', undefined],
    ]);
    expect(Array.from(series[1]!.xs)).toEqual([2, 5]);
    expect(Array.from(series[0]!.xs), 'before run 1').toEqual([0]);
    expect(rowsByKind(runs, false).has('other')).toBe(false);
  });

  it('finds the runs on a front among those that meet all targets', () => {
    const front = columnsOf([
      { output: [1, 9] },
      { output: [5, 5] },
      { output: [6, 4] },
      { output: [9, 9], misses: [0, 1] },
      { output: [4, 3], excluded: true },
      { output: [9, 8], sourceName: 'coarse' },
    ]);
    const all = { columns: front, otherCount: 0, best: -1 };
    expect(frontRows(all, { objectiveTypes: ['maximize', 'maximize'] }, [0, 1])).toEqual([0, 1, 2]);
    expect(frontRows(all, { objectiveTypes: ['minimize', 'maximize'] }, [0, 1])).toEqual([0]);
  });

  it('has a band only where a target has an end, and a logarithm where it shows more', () => {
    expect(bandOf('y', { lower: null, upper: null })).toEqual([]);
    const band = bandOf('y', { lower: null, upper: 3 });
    expect(band).toEqual([{ axis: 'y', from: null, to: 3 }]);
    expect(isWorthLog(Float64Array.of(1, Number.NaN, 2_000), band)).toBe(true);
    expect(isWorthLog(Float64Array.of(1, 20), band)).toBe(false);
    expect(isWorthLog(Float64Array.of(0, 1, 2_000), band)).toBe(false);
    expect(isWorthLog(Float64Array.of(1, 2_000), bandOf('y', { lower: -1, upper: 3 }))).toBe(false);
  });
});

describe('predictions as lines', () => {
  const surface = {
    inputs: [0],
    values: [[0, 1, 2]],
    isAdmissible: [true, false, true],
    outputs: [{ mean: [1, 2, 3], low: [0, 1, 2], high: [2, 3, 4] }],
    chance: [0, 0.5, 1],
  };
  const head = { inputTypes: ['float'] } as unknown as Parameters<typeof sliceSeries>[0];

  it('have a band, and a dashed part where inputs are excluded', () => {
    const series = sliceSeries(head, surface, 0, COLOURS);
    expect(series.map(({ kind, dash }) => [kind, dash !== undefined])).toEqual([
      ['area', false],
      ['line', true],
      ['line', false],
    ]);
    expect(series[2]!.ys).toEqual([1, null, 3]);
  });

  it('are points with bars for categories', () => {
    const series = sliceSeries({ ...head, inputTypes: ['category'] }, surface, 0, COLOURS);
    expect(series.map(({ kind }) => kind)).toEqual(['line', 'points']);
    expect(series[0]!.ys).toEqual([0, 2, null, 1, 3, null, 2, 4, null]);
  });

  it('show the inputs that matter most first', () => {
    const insight = { outputs: [{ sensitivity: [0.1, 0.9] }, { sensitivity: [0.8, 0] }, { sensitivity: null }] };
    const known = insight as unknown as Parameters<typeof mostSensitive>[0];
    expect(mostSensitive(known, 2, 0)).toEqual([1, 0]);
    expect(mostSensitive(known, 2)).toEqual([0, 1]);
    expect(mostSensitive(null, 3)).toEqual([0, 1, 2]);
  });
});

describe('the region that meets the targets', () => {
  it('is outlined between met points and others', () => {
    expect(endsOf([1, 2, 4], false)).toEqual([0.5, 1.5, 3, 5]);
    expect(endsOf([1, 100], true).map((end) => Number(end.toPrecision(6)))).toEqual([0.1, 10, 1_000]);
    const cells = { xEnds: [0, 1, 2], yEnds: [0, 1, 2] };
    const { xs, ys } = outlineOf([true, false, true, false], cells);
    // Borders of the lower half: two sides on the left and right, two below, two above.
    expect(xs.filter((x) => x === null)).toHaveLength(6);
    expect(Math.max(...ys.filter((y) => y !== null))).toBe(1);
    expect(outlineOf([false, false, false, false], cells).xs).toEqual([]);
  });

  it('needs every target, and an exact objective the sum', () => {
    const surface = {
      isAdmissible: [true, true, false, true],
      outputs: [{ mean: [1, 5, 1, null] }, { mean: [2, 2, 2, 2] }],
    } as unknown as Parameters<typeof metPoints>[1];
    const interval = (lower: number | null, upper: number | null) => ({
      lower,
      upper,
      lowerOpen: false,
      upperOpen: false,
    });
    const head = { intervals: [interval(0, 2), interval(null, 2)], l1Threshold: null, objectives: [1, 2] };
    expect(metPoints(head, surface)).toEqual([true, false, false, false]);
    expect(metPoints({ ...head, l1Threshold: 4 }, surface)).toEqual([true, true, false, false]);
  });

  it('is shaded between the least and the greatest allowed value', () => {
    const { low, high, shares } = sharesOf([1, 3, 99, null], [true, true, false, true]);
    expect([low, high, shares[2], shares[3]]).toEqual([1, 3, null, null]);
    expect(shares[0]!).toBeLessThan(shares[1]!);
  });
});

describe('axes', () => {
  const drawing = {
    title: '',
    x: { label: '' },
    y: { label: '', isLog: true },
    series: [{ label: '', colour: '', kind: 'points' as const, xs: [1, 11], ys: [0, 100] }],
    bands: [{ axis: 'x' as const, from: null, to: 21 }],
  };

  it('have room for all values and the ends of bands', () => {
    expect(rangeOf(drawing, 'x')).toEqual({ from: expect.closeTo(0.2), to: expect.closeTo(21.8) });
    const { from, to } = rangeOf(drawing, 'y');
    expect(from < 100 && to > 100 && from > 0).toBe(true);
    expect(rangeOf({ ...drawing, series: [], bands: [] }, 'y')).toEqual({ from: 1, to: 10 });
  });

  it('put values that are not positive at the low end of a logarithm', () => {
    const share = scaleOf(drawing.y, { from: 0.01, to: 100 });
    expect([share(0), share(0.01), share(1), share(100)]).toEqual([0, 0, expect.closeTo(0.5), 1]);
  });

  it('have ticks at round, whole or named values', () => {
    const texts = (axis: Parameters<typeof ticksIn>[0]) => ticksIn(axis, { from: 0, to: 2 }, 4).map(({ text }) => text);
    expect(texts({ label: '' })).toEqual(['0', '0.5', '1', '1.5', '2']);
    expect(texts({ label: '', isWhole: true })).toEqual(['0', '1', '2']);
    expect(texts({ label: '', isWhole: true, least: 1 })).toEqual(['1', '2']);
    const names = [
      { at: 1, text: 'A' },
      { at: 3, text: 'B' },
    ];
    expect(texts({ label: '', names })).toEqual(['A']);
  });
});
