/** The end of a search, as `backsolve run` and `batch` tell and write it. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { callCommand } from '../../support/run-command.ts';
import { useRunFolder } from '../../support/run-folder.ts';

const { at, write, lines, namesOf } = useRunFolder();

test('An address may be the black box; where nothing is left to try, the end says why by name', async () => {
  const server = createServer(async (request, response) => {
    const { inputByName } = (await json(request)) as { inputByName: { a: number; b: number } };
    response.end(JSON.stringify({ output: { p: inputByName.a + inputByName.b } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const file = at('stopped.yaml');
  await writeFile(
    file,
    `inputs: {a: {type: integer, minimum: 0, maximum: 1}, b: {type: boolean}}
outputs: {p: {atLeast: 3}}
evaluator: {url: "http://127.0.0.1:${port}/"}
jobs: 4
`,
  );
  const { code, stdout, stderr } = await callCommand(['run', file]);
  expect({ code, stderr }).toEqual({ code: 10, stderr: '' });
  expect(stdout).toContain('Stopped after 4 runs: every input of the space has been evaluated');
  expect(stdout).toContain('p by 1');
  expect(await lines('stopped.csv')).toHaveLength(5);
});

test('A wide range is logarithmic, targets out of reach end by evidence, and more runs go on from there', async () => {
  const file = await write('wide', { target: 100, more: 'maximumRuns: 25' });
  await writeFile(file, (await readFile(file, 'utf8')).replace('a: {minimum: 0,', 'a: {minimum: 0.001,'));
  const sentence =
    'a varies by factors (log scale), because its range spans 3.7 powers of ten; state scale: linear to refuse.';
  expect(await callCommand(['run', file, '--check'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(sentence),
  });
  const first = await callCommand(['run', file]);
  expect(first.code).toBe(10);
  expect(first.stdout).toContain(sentence);
  expect(first.stdout).toMatch(/^Stopped after \d+ runs: the targets seem out of reach together/m);
  const summary = JSON.parse(await readFile(at('wide.json'), 'utf8'));
  const count = summary.runs.length;
  expect(count).toBeLessThan(25);
  expect(first.stdout).toContain(`To go on from here: backsolve run ${file} --runs ${Math.max(count + 20, 26)}`);
  expect(summary.advice).toEqual([{ kind: 'log-scale', sentence }]);
  const again = await callCommand(['run', file]);
  expect(again.stdout).not.toMatch(/^run \d/m);
  const more = await callCommand(['run', file, '--runs', '26', '--jobs', '8']);
  expect(more.code).toBe(11);
  expect((await lines('wide.log')).length).toBe(26);
});

test('What the targets cost is told, and targets relaxed so are met without a further run', async () => {
  const file = await write('relaxed', { target: 5.6 });
  const { code, stdout } = await callCommand(['run', file, '--jobs', '3']);
  expect(code).toBe(10);
  expect(stdout).toMatch(
    /The models expect the worst output to miss by [\d.]+ times its tolerance at best; it would be 0 without \w/,
  );
  expect(stdout).toContain('ends immediately, with the best run.');
  const [, p, q] = /relaxed: p by ([\d.]+) percentage points, q by ([\d.]+)\./.exec(stdout)!;
  const text = await readFile(file, 'utf8');
  const wider = text.replace('within: 1%', `within: ${1 + Number(p)}%`).replace('0.01}', `${0.01 + Number(q)}}`);
  await writeFile(file, wider);
  const count = (await lines('relaxed.log')).length;
  const relaxed = await callCommand(['run', file]);
  expect(relaxed).toMatchObject({ code: 0, stdout: expect.stringContaining('Solved: everything is met') });
  expect(await lines('relaxed.log')).toHaveLength(count);
});

test('The start and known runs of a file count', async () => {
  await writeFile(at('runs.csv'), 'a [mm],b,p [kg],q\n1,1,1,4\n2,1,2,5\n9,1,9,12\n');
  const file = await write('known', { more: 'known: runs.csv\nstart: {a: 1, b: 2}' });
  const { code, stdout } = await callCommand(['run', file]);
  expect(code).toBe(0);
  expect(stdout).toContain('run 1 (start): a=1 b=2 -> p=2 q=7');
  expect(stdout).not.toContain('case ');
});

test('batch solves several files side by side, and all target sets of one, and sums them up', async () => {
  const sets = await write('sets', { more: 'jobs: 1\ntargets: [{p: 4}, {p: 5}]' });
  const { code, stdout } = await callCommand(['batch', await write('single'), sets]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/single\.yaml +everything met/);
  expect(stdout).toMatch(/sets\.yaml +2 of 2 sets met/);
  const result = JSON.parse(await readFile(at('sets.json'), 'utf8'));
  expect(result.targets.map((set: { stopReason: string }) => set.stopReason)).toEqual(['SATISFIED', 'SATISFIED']);
  expect(await namesOf('sets')).toEqual(
    expect.arrayContaining(['case 1', 'run 2 of target set 1', 'run 2 of target set 2']),
  );
  // With more target sets than jobs, an input waits while another one runs.
  const parallelismOf = async (name: string) => {
    const record = JSON.parse(await readFile(at('.backsolve', name, 'problem.json'), 'utf8'));
    return record.batches[0].body.parallelism;
  };
  expect([await parallelismOf('single'), await parallelismOf('sets')]).toEqual([1, 2]);
});

test('Several solutions and a front are told in full at the end', async () => {
  const several = await write('several', { maximum: 8, more: 'solutions: {count: 2, apart: 0.2}' });
  const solved = await callCommand(['run', several]);
  expect(solved).toMatchObject({ code: 0, stderr: '' });
  const { solutions } = JSON.parse(await readFile(at('several.json'), 'utf8'));
  // The line a + 3 b = 8 meets the hyperbola a b = 4 twice.
  expect(solutions.map(({ input }: { input: { a: number } }) => Math.round(input.a)).sort()).toEqual([2, 6]);
  expect(solved.stdout).toMatch(/Solutions:\n {2}a +b +p +q\n(?: {2}[\d. ]+\n){2}\n/);

  const front = await write('front', { more: 'maximumRuns: 10\nfront: {reference: {p: 1, q: 18}}' });
  const text = await readFile(front, 'utf8');
  const goals = [
    ['p: {target: 4, within: 1%, unit: kg}', 'p: {maximize: null, unit: kg}'],
    ['q: {target: 8, within: 0.01}', 'q: {minimize: null}'],
  ] as const;
  await writeFile(
    front,
    goals.reduce((changed, [from, to]) => changed.replace(from, to), text),
  );
  const ended = await callCommand(['run', front]);
  expect(ended).toMatchObject({ code: 11, stderr: '' });
  expect(ended.stdout).toContain('Ended after 10 runs: no more are allowed.');
  const found = JSON.parse(await readFile(at('front.json'), 'utf8')).front as {
    output: { p: number; q: number };
  }[];
  expect(found.length).toBeGreaterThan(1);
  for (const { output } of found)
    expect(found.some((one) => one.output.p > output.p && one.output.q < output.q)).toBe(false);
  expect(ended.stdout).toContain(`The front, ${found.length} runs:`);

  // One output without a target has a best run.
  const one = await write('one', { more: 'maximumRuns: 6' });
  await writeFile(one, (await readFile(one, 'utf8')).replace(...goals[0]));
  const { stdout } = await callCommand(['run', one]);
  expect(stdout).toMatch(/Best: run \d+\.$/m);
  expect(stdout).toMatch(/^ {2}p .* as large as possible$/m);
});
