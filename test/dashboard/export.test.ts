import { describe, expect, it } from 'vitest';
import { toCsv, toTabs } from '../../src/dashboard/parts/export.ts';
import { guardText, unguardText } from '../../src/dashboard/parts/formula.ts';
import { guardText as guardOfService, unguardText as unguardOfService } from '../../src/domain/data/case-columns.ts';
import { drawSvg } from '../../src/presentation/drawing.ts';
import { fileName } from '../../src/presentation/file-name.ts';
import type { Drawing } from '../../src/presentation/plot.ts';
import { ticksOf } from '../../src/presentation/ticks.ts';

describe('tables as text', () => {
  it('writes CSV with all digits, quotes where needed, and no formulas', () => {
    const rows = [
      [0.1 + 0.2, 'plain', null],
      [-5, '=1+1', 'a "b", c'],
      [true, 'two\nlines', undefined],
    ];
    expect(toCsv(['x (mm)', '@y', 'z'], rows)).toBe(
      'x (mm),\'@y,z\r\n0.30000000000000004,plain,\r\n-5,\'=1+1,"a ""b"", c"\r\ntrue,"two\nlines",\r\n',
    );
  });

  it('guards and reads back texts as the service does', () => {
    for (const text of ['-x', '=x', '+x', '@x', '\tx', "'-x", "''=x", "'x", 'x', '', "'"]) {
      expect(guardText(text)).toBe(guardOfService(text));
      expect(unguardText(guardText(text))).toBe(text);
      expect(unguardText(text)).toBe(unguardOfService(text));
    }
  });

  it('writes tabs for spreadsheets', () => {
    expect(
      toTabs(
        ['a', 'b'],
        [
          [1, 'x\ty'],
          [null, 'x,y'],
        ],
      ),
    ).toBe('a\tb\n1\t"x\ty"\n\tx,y\n');
  });

  it.each([
    ['Heat exchanger / trial 1', 'Heat-exchanger-trial-1.csv'],
    ['../../etc', 'etc.csv'],
    ['Prüfstand 2', 'Prufstand-2.csv'],
    ['漢字', 'backsolve.csv'],
  ])('names the file of %s', (title, name) => expect(fileName(title, 'csv')).toBe(name));
});

const COLOURS = {
  ground: '#fff',
  text: '#000',
  line: '#ccc',
  met: '#080',
  'met-area': '#cfc',
  accent: '#00f',
  font: 'serif',
};

describe('pictures', () => {
  it('leaves out the characters that XML does not allow', () => {
    const title = `a\u0000\u001f\n\uFFFE\uFFFF\uD800b\uDC00 \t\u{1F600}\uFFFD c`;
    const svg = drawSvg(
      { ...drawing, title, x: { label: title }, series: [{ ...drawing.series[0]!, label: title }] },
      COLOURS,
    );
    expect(svg.match(/>ab \t\u{1F600}\uFFFD c</gu)).toHaveLength(3);
    expect(svg).not.toMatch(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]|\p{Surrogate}/u);
  });

  const drawing: Drawing = {
    title: 'Distance <img onerror=1> & more',
    x: { label: 'iteration' },
    y: { label: 'distance' },
    series: [{ label: '"one"', colour: '#123456', kind: 'line', xs: [1, 2, 3, 4], ys: [4, null, 2, 1] }],
    bands: [{ axis: 'y', from: null, to: 2 }],
  };

  it('escapes every text, and leaves gaps open', () => {
    const svg = drawSvg(drawing, COLOURS);
    expect(svg).toContain('Distance &lt;img onerror=1&gt; &amp; more');
    expect(svg).toContain('&quot;one&quot;');
    expect(svg.match(/ d="M[^"]*"[^>]*stroke="#123456"/)![0].match(/M/g)).toHaveLength(2);
  });

  it('draws points, logarithmic axes, one value and none', () => {
    const points = { ...drawing.series[0]!, kind: 'points' } as const;
    expect(drawSvg({ ...drawing, series: [points] }, COLOURS).match(/h6v6h-6z/g)).toHaveLength(3);
    const single = { ...drawing.series[0]!, xs: [1], ys: [4] };
    expect(drawSvg({ ...drawing, series: [single] }, COLOURS).match(/h6v6h-6z/g), 'one point is no line').toHaveLength(
      1,
    );
    for (const series of [[], [{ ...points, xs: [5], ys: [0] }], [{ ...points, ys: [1e-300, 1e300, -1e308, 1e308] }]]) {
      for (const isLog of [false, true]) {
        const axes = { x: { label: '', isLog }, y: { label: '', isLog } };
        expect(drawSvg({ ...drawing, series, ...axes }, COLOURS)).not.toMatch(/NaN|Infinity/);
      }
    }
  });

  it('draws areas, steps, cells, outlines, names of categories and what has no value', () => {
    const svg = drawSvg(
      {
        ...drawing,
        x: { label: '', names: [{ at: 1, text: 'Alloy <A>' }] },
        cells: { xEnds: [0, 1, 2], yEnds: [1, 3], shares: [0.5, null], colour: '#777' },
        series: [
          { ...drawing.series[0]!, kind: 'steps', xs: [1, 2], ys: [4, 2] },
          { ...drawing.series[0]!, kind: 'area', xs: [1, 2], ys: [4, 2], lows: [1, 1] },
          { ...drawing.series[0]!, kind: 'points', shape: 'top-cross', xs: [1], ys: [Number.NaN] },
          { ...drawing.series[0]!, kind: 'points', path: 'M-4-4L4 4', isFaint: true },
        ],
      },
      COLOURS,
    );
    expect(svg).toMatch(/d="M[\d. ]+H[\d.]+V[\d.]+" fill="none"/);
    expect(svg.match(/fill="#777" opacity="0\.5"/g), 'a cell').toHaveLength(1);
    expect(svg.match(/Z" fill="#123456" opacity="0\.2"/g), 'an area').toHaveLength(1);
    expect(svg.match(/l8 8m-8 0l8 -8/g), 'a run without a value').toHaveLength(1);
    expect(svg.match(/<path d="M-4-4L4 4"[^>]* opacity="0\.4"[^>]*>/g)).toHaveLength(3);
    expect(svg).toContain('Alloy &lt;A&gt;');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('marks the axis at round values', () => {
    expect(ticksOf(0, 10)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticksOf(-0.013, 0.021)).toEqual([-0.01, 0, 0.01, 0.02]);
  });

  it('stand only where numbers of five digits differ', () => {
    expect(ticksOf(11.9979, 12)).toEqual([11.998, 11.999, 12]);
    expect(ticksOf(100_001, 100_002)).toEqual([100_001]);
  });
});
