/** Files that real programs wrote, read by every reader: the right number, or a refusal that shows the line. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fitText, fit as fitValues } from '../../clients/typescript/src/solve/fit.ts';
import type { TableLayout } from '../../clients/typescript/src/solve/table.ts';
import { makeOutputReader } from '../../src/runner/files/read-output.ts';
import CASES from './outputs/cases.json' with { type: 'json' };
import PROGRAMS from './outputs/programs.json' with { type: 'json' };

const folder = path.join(import.meta.dirname, 'outputs');
const read = (name: string) => readFile(path.join(folder, name), 'utf8');

/** A folder of the test's own. */
async function makeFolder(): Promise<string> {
  const own = await mkdtemp(path.join(tmpdir(), 'backsolve-outputs-'));
  onTestFinished(() => rm(own, { recursive: true }));
  return own;
}

/** The outcome of a rule on a file of its own. */
async function readText(rule: string, text: string, file = 'out.txt') {
  const own = await makeFolder();
  await writeFile(path.join(own, file), text);
  return makeOutputReader([`y=${file}${rule}`]).read(own, { names: ['y'] });
}

/** A column that all readers have alike, with null for gaps, or why they refuse it. */
interface TableCase {
  readonly file: string;
  readonly x: string;
  readonly column: string;
  readonly layout?: TableLayout;
  readonly values?: readonly (number | null)[];
  readonly refused?: string;
  /** Refused by fits for a value that is not finite, which is a failed run. */
  readonly failed?: boolean;
  /** Reason why it is no curve, though it has its values. */
  readonly curve?: string;
}

/** A rule of `run` and its number, a part of the refusal, or why the run is a failed one. */
type RuleCase = readonly [rule: string, expected: number | string | { readonly failed: string }];

const corpus: readonly (TableCase | RuleCase)[] = [
  ...(CASES.tables as readonly TableCase[]),
  ...(CASES.rules as unknown as readonly RuleCase[]),
  ...readFileSync(path.join(folder, 'corpus.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): TableCase | RuleCase => JSON.parse(line)),
];
const tables = corpus.filter((one): one is TableCase => 'file' in one);
const rules = corpus.filter((one): one is RuleCase => !('file' in one));
const files = readdirSync(folder).filter(
  (name) => /\.(txt|csv|json|xml)$/.test(name) && !['cases.json', 'programs.json'].includes(name),
);
const fileOf = (one: TableCase | RuleCase) => ('file' in one ? one.file : /^[^:#]+/.exec(one[0])![0]);
const isRight = (one: TableCase | RuleCase) => ('file' in one ? one.values !== undefined : typeof one[1] === 'number');

/** A layout as rules say it. */
function inWords({ titles, rowsFrom }: TableLayout): string {
  const said = titles === undefined ? [] : [typeof titles === 'number' ? `titles in line ${titles}, ` : ''];
  if (titles === 'none') said.push('no titles, ');
  if (typeof titles === 'object') said.push(`titles (${titles.join(', ')}), `);
  return `${said.join('')}${rowsFrom === undefined ? '' : `rows from line ${rowsFrom}, `}`;
}

const right = corpus.filter(isRight).length;
const size = `${files.length} files of ${Object.keys(PROGRAMS).length} programs`;

describe(`${size}, ${corpus.length} rules: ${right} numbers and columns, ${corpus.length - right} refusals`, () => {
  test.each(tables)('$file: $column has its values, or is refused by every reader', async (one) => {
    const { file, x, column, values, refused, failed, curve: why, layout = {} } = one;
    const columns = { x, y: column, ...layout };
    const curve = makeOutputReader([], [{ name: 'y', csv: file, x, y: column, layout }]);
    const text = await read(file);
    if (values === undefined) {
      expect(() => fitText(text, file, columns)).toThrow(refused!);
      const whole = { names: ['y'], fits: new Map([['y', fitValues([1, 2], { x: [0, 1] })]]) };
      expect(await curve.read(folder, whole)).toMatchObject({ kind: failed ? 'failed' : 'unreadable' });
      return;
    }
    const data = fitText(text, file, columns);
    expect(data.values).toEqual(values.filter((value) => value !== null));
    const names = values.map((_, i) => `y[${i}]`);
    const all = makeOutputReader([`y=${file}:${inWords(layout)}column ${column}`]);
    if (data.values.length < values.length) {
      expect(await all.read(folder, { names })).toMatchObject({ kind: 'failed' });
    } else {
      expect(await all.read(folder, { names })).toEqual({ kind: 'output', output: values });
      const whole = { names: ['y'], fits: new Map([['y', fitValues(values, { x: data.x! })]]) };
      // The last of several rows with one x counts.
      const output = data.x!.map((at) => values[data.x!.lastIndexOf(at)]);
      expect(await curve.read(folder, whole)).toEqual(
        why === undefined ? { kind: 'output', output } : { kind: 'unreadable', reason: expect.stringContaining(why) },
      );
    }
    for (const [row, value] of [...values.entries(), ['last', values.at(-1)!] as const]) {
      if (value === null) continue;
      const at = typeof row === 'number' ? row + 1 : row;
      const cell = makeOutputReader([`y=${file}:${inWords(layout)}row ${at} column ${column}`]);
      expect(await cell.read(folder, { names: ['y'] })).toEqual({ kind: 'output', output: [value] });
    }
  });

  test.each(rules)('y=%s', async (rule, expected) => {
    const reading = await makeOutputReader([`y=${rule}`]).read(folder, { names: ['y'] });
    if (typeof expected === 'number') expect(reading).toEqual({ kind: 'output', output: [expected] });
    else if (typeof expected === 'string') {
      expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining(expected) });
    } else expect(reading).toEqual({ kind: 'failed', reason: expect.stringContaining(expected.failed) });
  });

  test('the guide has these counts', async () => {
    const guide = await readFile(path.join(import.meta.dirname, '../../docs/guides/program-as-black-box.md'), 'utf8');
    const rest = `${corpus.length} rules read ${right} numbers and columns and refuse ${corpus.length - right}`;
    expect(guide).toContain(`${files.length} files that ${Object.keys(PROGRAMS).length} programs`);
    expect(guide.replace(/\s+/g, ' ')).toContain(rest);
  });

  test('every file has a rule and a program', () => {
    const named = new Set(corpus.map(fileOf));
    expect(files.filter((name) => !named.has(name))).toEqual([]);
    const programs = Object.keys(PROGRAMS);
    expect(files.filter((name) => !programs.includes(/^[^-.]+/.exec(name)![0]))).toEqual([]);
    expect(programs.filter((program) => !files.some((name) => name.startsWith(program)))).toEqual([]);
  });
});

test.each([
  [':row 1 column 1', '61,5\n62,5\n', 'may be one number with a decimal comma, or two cells: "61,5"'],
  [':row 2 column 2', '0 61,5\n1 62,5\n', 'has both blanks and commas between numbers: "0 61,5"'],
  [':row 1 column mass', 'time, mass\n0 61,5\n', 'has both blanks and commas between numbers: "0 61,5"'],
  [':row 1 column mass', 'time,mass\n0,5,61,5\n', 'a decimal comma would split numbers, write a decimal point'],
  [':row 1 column mass', '# time mass\n0 10 60\n', 'line 2 has 3 cells, but line 1 has 2'],
  [':row 1 column mass', '#\ttime\tmass\n0\t10\t60\n', 'line 2 has 3 cells, but line 1 has 2'],
  [':row 1 column mass', '"time","mass"\n"0","10","60"\n', 'line 2 has 3 cells, but line 1 has 2'],
  [':row 1 column mass', '   time   mass\n0   10   60\n', 'line 2 has 3 cells, but line 1 has 2'],
  [':row 1 column mass', 'time mass\n0 1\n# 1 2\n', 'line 3 has 3 cells, but line 1 has 2'],
  [':row 1 column mass', 'time,mass\n0,1\n#1,2\n', 'line 3 is a comment amid the rows: "#1,2"'],
  [':row 1 column mass', 'time,mass\n0,"3"5\n', 'is not a number: "\\"3\\"5"'],
  [':row 1 column mass', 'time,mass\n', 'it has no row below its titles'],
  [':row 1 column 2', '1 2.000-548\n', 'is not a number: "2.000-548"'],
  [':/mass = (\\d+)/', 'mass = 61,5\n', 'it takes 61 of 61,5 in the line "mass = 61,5"'],
  [':/mass = (\\d+)/', 'mass = 61.5\n', 'it takes 61 of 61.5'],
  [':/mass = 0(\\S+)/', 'mass = 0.5\n', 'it takes .5 of 0.5'],
  [':/mass = \\W?([\\d.]+)/', 'mass = -0.5\n', 'it takes 0.5 of -0.5'],
  [':/([\\d.]+)$/', '2AR AR 2-548.600\n', 'it takes 548.600 of -548.600'],
  [':/mass = ([\\d.]+)/', 'mass = 2.5*10^-4\n', 'it takes 2.5 of 2.5*10^-4'],
  [':/mass = ([\\d.]+)/', 'mass = 2.5 x 10^-4\n', 'it takes 2.5 of 2.5 x 10^-4'],
  [':/mass = ([\\d.]+)/', 'mass = 1.#INF\n', 'it takes 1. of 1.#INF'],
  [':/mass = ([\\d.]+)/', 'mass = 0.250-548.600\n', 'it takes 0.250 of 0.250-548'],
])('y=out.txt%s of %j is refused', async (rule, text, reason) => {
  expect(await readText(rule, text)).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
});

test.each([
  [':row 1 column mass', '#,mass\n7,5\n8,6\n', 5],
  [':row 1 column mass', '#\ttime\tmass\n0\t5\n', 5],
  [':row 2 column 2', '1, 5\n2, 6\n', 6],
  [':row 2 column 1', '1,5.5\n2,6\n', 2],
  [':/n = (\\d+),/', 'n = 61,5\n', 61],
  [':/run-(\\d+)/', 'run-7: done\n', 7],
  [':/to (\\S+) mm/', '1 to 12.5 mm\n', 12.5],
  [':/5 - (\\S+)/', '5 - 0.5\n', 0.5],
  [':/(\\d+):/', 'step 12: 30\n', 12],
  [':/mass ([\\d.]+)/', 'mass 12.5kg\n', 12.5],
  [':/mass = (\\S+)/', 'mass = +0.5\n', 0.5],
  ['#/mass', '{"mass": 7, "sag": NaN, "note": "a NaN", "inf": [-Infinity]}', 7],
  ['#/inf/0', '{"inf": [5, NaN]}', 5],
])('y=out.txt%s of %j is %d', async (rule, text, value) => {
  expect(await readText(rule, text)).toEqual({ kind: 'output', output: [value] });
});

test('a value asked for that is not finite is a failed run, and one that is not asked for hides no other', async () => {
  const text = '{"y": 7, "z": -Infinity}';
  expect(await readText('#/z', text)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not finite') });
  const own = await makeFolder();
  await writeFile(path.join(own, 'all.json'), text);
  const all = makeOutputReader(['all.json']);
  expect(await all.read(own, { names: ['y'] })).toEqual({ kind: 'output', output: [7] });
  expect(await all.read(own, { names: ['y', 'z'] })).toMatchObject({ kind: 'failed' });
});

test.each([
  [':/mass = (\\d+)/', 'mass = 1\n', 'mass = 2\n', 2],
  [
    ':/mass = (\\d+)/',
    'mass = 1\n',
    'nothing\n',
    '70 bytes of what the command printed are left out, and the last match',
  ],
  [':/mass = (\\d+)/', 'mass = 1\n', 'ss = 2\n', 'the last match may be among them'],
  [':/mass = (\\d+)/first', 'mass = 1\n', 'mass = 2\n', 1],
  [':/mass = (\\d+)/first', 'nothing\n', 'mass = 2\n', 'the first match may be among them'],
  [':row last column 1', '1\n2\n', '3\n', 'it is not complete'],
  ['', '1', '', 'it is not complete'],
])('y=stdout.log%s reads no match that may not be the %s one', async (rule, before, behind, expected) => {
  const reading = await readText(rule, `${before}ma\n[70 bytes are left out here]\nss\n${behind}`, 'stdout.log');
  if (typeof expected === 'number') expect(reading).toEqual({ kind: 'output', output: [expected] });
  else expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining(expected) });
});
