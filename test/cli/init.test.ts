import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProblem } from '../../src/runner/problem-file.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-init-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function init(args: readonly string[], answers = '') {
  const child = spawn(process.execPath, [MAIN, 'init', ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(answers);
  const [code] = await once(child, 'close');
  return { code: code as number, output };
}

test('init asks, asks again about what it cannot read, and writes a file that can be read', async () => {
  const answers = [
    'My bracket',
    ...['length 10 80 mm', 'length 3 4', 'wide 9 1', 'bolts 2 8 integer', 'steel S235,S355', 'welded yes/no', ''],
    ...['sag 0.8 5% mm', 'heat warm', 'mass<1.4 kg', 'level fit level.csv', 'level fit level.csv time h 0.02 m', ''],
    'python3 "my model.py"',
    ...['', '60'],
  ];
  const { code, output } = await init(['my.yaml'], `${answers.join('\n')}\n`);
  expect(code).toBe(0);
  expect(output).toContain('length is there already.');
  expect(output).toContain('The largest value must be above the smallest, 9.');
  expect(output).toContain('Write its name, its target and how far off it may be');
  expect(output).toContain('After fit write a CSV file, its columns x and y');
  const data = new Map([['level.csv', 'time,h\n0,2\n1,1\n']]);
  const { problem, violations } = readProblem(await readFile(path.join(folder, 'my.yaml'), 'utf8'), 'my.yaml', data);
  expect(violations).toEqual([]);
  expect(problem).toMatchObject({ name: 'My bracket', jobs: 1, maximumRuns: 60 });
  expect(problem!.inputs.map(({ name, type }) => [name, type])).toEqual([
    ['length', 'float'],
    ['bolts', 'integer'],
    ['steel', 'category'],
    ['welded', 'boolean'],
  ]);
  expect(problem!.targetSets[0]!.map(({ type, target }) => [type, target])).toEqual([
    ['percent', 0.8],
    ['lessthan', 1.4],
    ['fit', 2],
    ['fit', 1],
  ]);
  expect(problem!.fits).toMatchObject([{ name: 'level', fit: { values: [2, 1], x: [0, 1], sigma: 0.02 } }]);
  expect(problem!.blackBox.record).toMatchObject({ command: { command: ['python3', 'my model.py'] } });
  expect((await init(['my.yaml'])).output).toContain('my.yaml exists already');
});

test('init writes nothing when the answers end early, and an example that can be read', async () => {
  expect(await init(['my.yaml'], 'A name\nlength 10 80\n')).toMatchObject({ code: 1 });
  expect(await readdir(folder)).toEqual([]);
  expect((await init(['--example'])).code).toBe(0);
  expect((await readdir(folder)).toSorted()).toEqual(['bracket.mjs', 'bracket.yaml']);
  const text = await readFile(path.join(folder, 'bracket.yaml'), 'utf8');
  expect(readProblem(text, 'bracket').violations).toEqual([]);
  expect((await init(['--example'])).code).toBe(1);
});

test('init reads a case of PEST or a problem of PEtab, and says what it does not use', async () => {
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  await write(
    'c.pst',
    [
      ...['pcf', '* control data', 'restart estimation', '2 1 1 0 1', '1 1 single point 1 0 0'],
      ...['* parameter data', 'K log factor 1 0.1 10 g 1 0 1', 'n fixed factor 1 0 2 g 1 0 1'],
      ...['* observation data', 'h 2.0 5 level', '* model command line', 'run', '* model input/output'],
      ...['c.tpl c.in', 'c.ins c.out', ''],
    ].join('\r\n'),
  );
  await write('c.tpl', 'ptf ~\n~ k  ~ ~ n        ~\n');
  expect(await init(['--from', 'c.pst'])).toEqual({
    code: 1,
    output: 'c.ins: there is no such file in the folder of the control file.\n',
  });
  await write('c.ins', 'pif ~\nl1 !h!\n');
  const { code, output } = await init(['--from', 'c.pst']);
  expect({ code, output: output.split('\n') }).toEqual({
    code: 0,
    output: [
      'Fixed, as in the control file: n.',
      'The model gets few digits of k: widen their spaces in the template files to 12 characters.',
      'Wrote c.yaml. Look it over, then: backsolve run c.yaml',
      '',
    ],
  });
  expect(await readFile(path.join(folder, 'c.yaml'), 'utf8')).toContain(
    '  k: {minimum: 0.1, maximum: 10, scale: log}\n',
  );
  expect((await init(['--from', 'c.pst'])).output).toContain('c.yaml exists already; name another file');
  expect((await init(['--from', 'c.yaml', 'd.yaml'])).output).toContain(
    'c.yaml is a problem file of Backsolve already',
  );
  await write('p.yaml', 'format_version: 1\nparameter_file: none.tsv\nproblems: [{}]\n');
  expect((await init(['--from', 'p.yaml'])).output).toContain(
    'p.yaml has no program: name the simulator, as in --command',
  );
  expect((await init(['--from', 'p.yaml', '--command', 'python3 s.py'])).output).toBe(
    'none.tsv: there is no such file.\n',
  );
  expect((await init(['--command', 'x'])).output).toContain('--command belongs to --from.');
});
