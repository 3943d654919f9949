import { expect, it } from 'vitest';
import type { Run } from '../../clients/typescript/src/evaluator/journal.ts';
import { nameOf } from '../../clients/typescript/src/evaluator/run-name.ts';
import { formatRows } from '../../src/runner/closing.ts';
import { makeDisplay } from '../../src/runner/display.ts';
import {
  describeGoal,
  describeMiss,
  drawBars,
  renderRun,
  renderStanding,
  widthOf,
} from '../../src/runner/display-lines.ts';
import { plain } from '../../src/runner/plain-text.ts';
import type { Problem } from '../../src/runner/problem.ts';
import { readProblem } from '../../src/runner/problem-file.ts';
import { runningNow, type Standing, StandingOfSet } from '../../src/runner/standing.ts';
import { EVALUATION } from './evaluation-fixture.ts';

const problem: Problem = readProblem(
  `name: Bracket
inputs: {length: {unit: mm, minimum: 10, maximum: 80}, steel: {values: [S235, S355]}}
outputs: {mass: {unit: kg, target: 1.2, within: 5%}, "a long name of an output": {below: 3}}
command: [x]`,
  'problem',
).problem!;

const run = (more: Partial<Run>): Run => ({
  order: 1,
  kind: 'inverse',
  evaluation: 91,
  objectiveId: 3,
  inverseId: 88,
  caseNumber: null,
  input: [],
  outcome: { kind: 'output', output: [] },
  seconds: 1,
  at: '2026-01-01T00:00:00.000Z',
  ...more,
});

function standing(change: Partial<Standing> = {}): Standing {
  // Any measure will do: a miss is the distance from 1.
  const set = new StandingOfSet(problem.targetSets[0]!, (output) => {
    const misses = output.map((y) => Math.abs(y - 1));
    return {
      misses,
      missedBy: output.map((y) => y - 1),
      rank: { worst: Math.max(...misses), sum: 0, value: 0 },
      fits: [],
    };
  });
  set.add(run({ kind: 'case', caseNumber: 1, input: [20, 1] }), [5, 1]);
  set.add(run({ kind: 'case', caseNumber: 2, input: [30, 2] }), null);
  set.add(run({ iteration: 2, input: [40, 2] }), [2, 1]);
  return {
    phase: 'searching',
    runs: 3,
    retried: 0,
    failed: 1,
    maximumRuns: 60,
    designed: { done: 2, planned: 2 },
    sets: [set.current(nameOf)],
    shown: 0,
    satisfiedSets: 0,
    running: [
      runningNow({
        evaluation: { ...EVALUATION, input: [41.23456789, 2] },
        kind: EVALUATION.kind,
        sinceMs: performance.now(),
      }),
    ],
    elapsedMs: 65_000,
    note: null,
    ...change,
  };
}

it('shows counts, what each output misses, the trend and what runs', () => {
  expect(renderStanding(problem, standing(), { columns: 100, rows: 24, hasColor: false })).toEqual([
    'Bracket  1:05  3 runs of at most 60, 1 failed  searching',
    '  mass                      2  off 1       1.2 kg +-5%',
    '  a long name of an output  1  met         below 3',
    '  worst miss  ██▁',
    '  running 0 s run 17: length=41.235 steel=S355',
  ]);
});

it('calls runs as the service does', () => {
  const best = standing().sets[0]!.best;
  expect(renderRun(problem, { name: 'run 3', input: [30, 1] }, [5, 1], best)).toBe(
    'run 3: length=30 steel=S235 -> mass=5 a long name of an output=1; best: run 2, off by 1 tolerance',
  );
  const start = { kind: 'start', caseNumber: null } as const;
  expect(
    [
      nameOf({ kind: 'case', caseNumber: 3 }),
      nameOf({ kind: 'inverse', caseNumber: null, iteration: 17 }, 'of an earlier search'),
      nameOf({ ...start, outcome: { kind: 'output' } }),
      nameOf({ ...start, outcome: { kind: 'failure' } }),
      // Journals of earlier releases do not know the number.
      nameOf({ kind: 'inverse', caseNumber: null }),
    ].join(', '),
  ).toBe('case 3, run 17 of an earlier search, run 1 (start), start, suggested run');
});

it('fits narrow and low terminals, with colors or without', () => {
  for (const hasColor of [true, false]) {
    const lines = renderStanding(problem, standing({ note: 'x'.repeat(300) }), { columns: 30, rows: 5, hasColor });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colors
    for (const line of lines) expect(line.replace(/\x1b\[\d+m/g, '').length).toBeLessThanOrEqual(30);
    expect(lines.join('').includes('\x1b[')).toBe(hasColor);
  }
});

it('shows words of programs without what would move the cursor', () => {
  const [, , , , , note] = renderStanding(problem, standing({ note: 'a\x1b[2Jb\nc' }), {
    columns: 80,
    rows: 24,
    hasColor: false,
  });
  expect(note).toBe('a [2Jb c');
});

it('redraws in place only what has changed, and leaves the last state', () => {
  let written = '';
  const display = makeDisplay(
    problem,
    { isTTY: true, columns: 0, rows: 0, write: (text) => (written += text) },
    { hasColor: false },
  );
  let current = standing({ running: [] });
  display.follow(() => current);
  written = '';
  current = { ...current, runs: 4 };
  display.end();
  expect(written.split('\x1b[2K')).toHaveLength(2);
  expect(written).toContain('\x1b[4A');
  expect(written).toContain('4 runs of at most 60');
  expect(written.endsWith('\x1b[?25h')).toBe(true);
});

it('writes a plain line per run where there is no terminal', () => {
  let written = '';
  const display = makeDisplay(problem, { write: (text) => (written += text) }, { hasColor: false });
  display.follow(() => standing());
  display.printRun('run 1');
  display.end();
  expect(written).toBe('run 1\n');
});

it('draws misses on a logarithmic scale', () => {
  expect(drawBars([100, 10, 1])).toBe('█▅▁');
  expect(drawBars([1, 0])).toBe('█▁');
  expect(drawBars([0, 0])).toBe('▁▁');
});

it('says goals in words', () => {
  const say = (type: Parameters<typeof describeGoal>[0]['type'], lower: number | null, upper: number | null) =>
    describeGoal({ type, target: 0.8, lower, upper }, 'mm');
  expect([say('percent', -5, 5), say('value', -0.1, 0.2), say('greaterthan_equal', null, null)]).toEqual([
    '0.8 mm +-5%',
    '0.8 mm -0.1 +0.2',
    'at least 0.8 mm',
  ]);
});

it('aligns wide and combining characters by the columns they take', () => {
  expect([widthOf('mass'), widthOf('質量'), widthOf('😀<b>'), widthOf('e\u0301')]).toEqual([4, 4, 5, 1]);
  const lines = formatRows([
    ['質量', 'kg'],
    ['mass', 'kg'],
    ['\x1b[2Je\u0301', 'kg'],
  ]).split('\n');
  expect(lines).toEqual(['  質量   kg', '  mass   kg', '   [2Je\u0301  kg']);
  // Clipped between characters, never within one.
  const name = '質量'.repeat(20);
  const wide = { ...problem, outputs: [{ name, unit: '' }, problem.outputs[1]!] };
  const [, row] = renderStanding(wide, standing(), { columns: 30, rows: 24, hasColor: false });
  expect(row).toContain('  質量質量…   2');
});

it('takes out what would turn the direction of a line', () => {
  expect(plain('mass\u202e gk \u2066\u200f')).toBe('mass  gk   ');
});

it('counts one tolerance and several', () => {
  expect([describeMiss(0, 'met'), describeMiss(1.004, 'met'), describeMiss(34.6, 'met')]).toEqual([
    'met',
    'off by 1 tolerance',
    'off by 35 tolerances',
  ]);
});
