/** Whole runs of `backsolve run`: real processes, the service of a folder, a black box that notes every call. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { JournalLine } from '../../clients/typescript/src/evaluator/journal.ts';
import { findOwners, startOf } from '../../clients/typescript/src/solve/folder-lock.ts';
import { joinLocalService } from '../../clients/typescript/src/solve/local-service.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { type CommandProcess, runCommand, startCommand } from '../support/run-command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXECUTABLE = path.join(ROOT, 'bin/backsolve.js');

let folder: string;

// The tests share the service of one folder, whose start takes the longest.
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-run-'));
  await writeFile(path.join(folder, 'box.mjs'), BLACK_BOX);
});

afterAll(async () => {
  while ((await findOwners(path.join(folder, '.backsolve'))).length > 0) await sleep(50);
  await rm(folder, { recursive: true, force: true });
});

/** Notes each call, takes its time, and notes what it has computed. After so many calls it fails, until it is mended. */
const BLACK_BOX = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const [log, ms, wholeCalls = 'Infinity'] = process.argv.slice(2);
const { input } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(log, JSON.stringify(input) + '\\n');
const calls = readFileSync(log, 'utf8').trim().split('\\n').length;
if (calls > Number(wholeCalls) && !existsSync(log + '.mended')) throw new Error('a bug');
setTimeout(() => {
  const [a, b] = input;
  console.log(JSON.stringify([a * b, a + 3 * b]));
}, Number(ms));
`;

interface Problem {
  readonly ms?: number;
  /** Calls after which the box fails. */
  readonly wholeCalls?: number;
  readonly target?: number;
  readonly maximum?: number;
  readonly more?: string;
}

/** A file with its own name, and so with its own journal and log of calls. */
async function write(
  name: string,
  { ms = 0, wholeCalls, target = 4, maximum = 5, more = '' }: Problem = {},
): Promise<string> {
  const command = [
    process.execPath,
    'box.mjs',
    `${name}.log`,
    String(ms),
    ...(wholeCalls === undefined ? [] : [String(wholeCalls)]),
  ];
  await writeFile(
    path.join(folder, `${name}.yaml`),
    `name: Two inputs
inputs:
  a: {minimum: 0, maximum: ${maximum}, unit: mm}
  b: {minimum: 0, maximum: 5}
outputs:
  p: {target: ${target}, within: 1%, unit: kg}
  q: {target: 8, within: 0.01}
command: ${JSON.stringify(command)}
${more}`,
  );
  return path.join(folder, `${name}.yaml`);
}

const lines = async (name: string) =>
  (await readFile(path.join(folder, name), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

const exists = (name: string) =>
  access(path.join(folder, name)).then(
    () => true,
    () => false,
  );

const finishedInputs = async (name: string): Promise<readonly string[]> => {
  const text = await readFile(path.join(folder, '.backsolve', name, 'runs.jsonl'), 'utf8').catch(() => '');
  // The last line may be torn.
  const journal = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JournalLine);
  return journal.flatMap((line) => (line.kind === 'finished' ? [JSON.stringify(line.input)] : []));
};

async function namesOf(name: string): Promise<readonly string[]> {
  const { runs } = JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8'));
  return runs.map((run: { name: string }) => run.name);
}

async function untilFinished(name: string, count: number, command: CommandProcess): Promise<void> {
  let isOver = false;
  void command.ended.then(() => (isOver = true));
  while (!isOver && (await finishedInputs(name)).length < count) await sleep(10);
}

test('A mistyped output ends the search at its first run, with the names that the program prints, and its correction begins anew', async () => {
  const file = await write('mistyped', { target: 4 });
  await writeFile(
    path.join(folder, 'named.mjs'),
    BLACK_BOX.replace('JSON.stringify([a * b, a + 3 * b])', 'JSON.stringify({ p: a * b, q: a + 3 * b })'),
  );
  const right = (await readFile(file, 'utf8')).replace('box.mjs', 'named.mjs');
  await writeFile(file, right.replace('  q:', '  quality:'));
  const ended = await runCommand(['run', file]);
  expect(ended.code).not.toBe(0);
  expect(`${ended.stdout}${ended.stderr}`).toContain('lacks the output quality, and has q.');
  expect(await lines('mistyped.log')).toHaveLength(1);
  await writeFile(file, right);
  const solved = await runCommand(['run', file]);
  expect(solved.stdout + solved.stderr).toContain('the problem begins anew');
  expect(solved.code).toBe(0);
  await writeFile(file, right.replace('  q:', '  quality:'));
  const refused = await runCommand(['run', file]);
  expect(refused.stderr).toContain('The inputs or outputs have changed');
});

test('An edited program is compared at one kept run, and refused where its outputs are other ones', async () => {
  const file = await write('edited');
  await copyFile(path.join(folder, 'box.mjs'), path.join(folder, 'edited.mjs'));
  await writeFile(file, (await readFile(file, 'utf8')).replace('box.mjs', 'edited.mjs'));
  const edit = async (change: (text: string) => string) => {
    const program = path.join(folder, 'edited.mjs');
    await writeFile(program, change(await readFile(program, 'utf8')));
  };
  const countCalls = async () => (await readFile(path.join(folder, 'edited.log'), 'utf8')).trim().split('\n').length;
  expect(await runCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
  const count = await countCalls();
  await edit((text) => `${text}// a comment\n`);
  for (const _ of [1, 2]) expect(await runCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
  expect(await countCalls()).toBe(count + 1);
  await edit((text) => text.replace('3 * b', '3.2 * b'));
  for (const command of ['run', 'batch', 'run']) {
    const refused = await runCommand([command, file]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('edited.mjs has changed since earlier') });
    expect(refused.stderr).toContain('start over with --new');
  }
  expect(await countCalls()).toBe(count + 2);
});

test('A file is solved and its results are written; again it only says so; changed targets go on from the same data', async () => {
  const file = await write('solved', { more: 'jobs: 2\nmaximumRuns: 60' });
  const first = await runCommand(['run', file]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^case 1: a=.*^run 2: a=/ms);
  expect(first.stdout).toContain('Solved: everything is met');
  const calls = (await lines('solved.log')).length;
  const [header, ...rows] = await lines('solved.csv');
  expect(header!.trim()).toBe('a [mm],b,p [kg],q,number,run,status,failureReason');
  // The command of the other job is ended when the goals are met: it has noted its call, and is no run.
  expect([calls, calls - 1]).toContain(rows.length);
  const result = JSON.parse(await readFile(path.join(folder, 'solved.json'), 'utf8'));
  expect(result).toMatchObject({ stopReason: 'SATISFIED', optimum: { isSatisfied: true, worstMiss: 0 } });
  expect(Math.abs(result.optimum.output.p - 4)).toBeLessThanOrEqual(0.04);

  const again = await runCommand(['run', file]);
  expect(again.code).toBe(0);
  expect(await lines('solved.log')).toHaveLength(calls);

  const changed = await runCommand(['run', await write('solved', { target: 4.5, more: 'jobs: 2\nmaximumRuns: 60' })]);
  expect(changed).toMatchObject({ code: 0, stderr: '' });
  expect(changed.stdout).toContain(`Going on after ${rows.length} runs.`);
  const after = await lines('solved.log');
  expect(after.length).toBeGreaterThan(calls);
  expect(new Set(after).size).toBe(after.length);
  expect(changed.stdout).toMatch(/^run 2: a=/m);
  expect(await namesOf('solved')).toEqual(expect.arrayContaining(['case 1', 'run 2', 'run 2 of an earlier search']));

  const refused = await runCommand(['run', await write('solved', { maximum: 6 })]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('maximums: [5,5] became [6,5]');
  expect(refused.stderr).toContain('--new');
  const anew = await runCommand(['run', '--new', file]);
  expect(anew.code).toBe(0);
  expect(anew.stdout).not.toContain('Going on');
});

test.each([
  ['bin/backsolve.js', process.execPath, [EXECUTABLE]],
  ['npx', 'npx', ['--no', 'backsolve']],
])('When %s is killed, the run and its programs end, and the next start goes on', async (starter, program, args) => {
  const name = `started-by-${path.parse(starter).name}`;
  const [file, pids, done] = [await write(name), path.join(folder, `${name}.pids`), path.join(folder, `${name}.done`)];
  const script = `echo $$ >> ${pids}; test -e ${done} || sleep 600; echo '[4, 8]'`;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^command: .*$/m, `command: ${JSON.stringify(['/bin/sh', '-c', script])}`));
  const started = spawn(program, [...args, 'run', file], { cwd: ROOT, stdio: 'ignore' });
  await expect.poll(() => lines(`${name}.pids`)).toHaveLength(1);
  const [holder] = await findOwners(path.join(folder, '.backsolve', name));
  started.kill('SIGKILL');
  for (const pid of [holder!.pid, Number((await lines(`${name}.pids`))[0])])
    await expect.poll(() => startOf(pid)).toBeUndefined();
  await writeFile(done, '');
  expect(await runCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
});

test('Ctrl-C waits for what runs and keeps it; a second process is told who has the file', async () => {
  // Out of reach, so that it is not over before it is interrupted.
  const file = await write('interrupted', { ms: 200, target: 1000, more: 'jobs: 2\nworkFolder: false' });
  const command = startCommand(['run', file]);
  await untilFinished('interrupted', 1, command);
  const second = await runCommand(['run', file]);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`by process ${command.child.pid}`);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(command.stdout()).toContain(`Go on with: backsolve run ${file}`);
  const calls = await lines('interrupted.log');
  expect((await finishedInputs('interrupted')).toSorted()).toEqual(calls.toSorted());

  expect((await runCommand(['run', await write('interrupted', { more: 'jobs: 2\nworkFolder: false' })])).code).toBe(0);
  const after = await lines('interrupted.log');
  // One is a kept run, which the changed command must answer alike.
  expect(after.length - new Set(after).size).toBe(1);
});

test('A budget that is used up, and runs that fail, have exit codes of their own; the result can be reported', async () => {
  const spent = await runCommand(['run', await write('spent', { more: 'maximumRuns: 4' })]);
  expect(spent.code).toBe(11);
  expect(await lines('spent.log')).toHaveLength(4);
  const more = await runCommand(['run', await write('spent', { more: 'maximumRuns: 5' })]);
  expect(more.code).toBe(11);
  expect(await lines('spent.log')).toHaveLength(5);

  const report = path.join(folder, 'spent.html');
  const reported = await runCommand(['report', '--problem', path.join(folder, 'spent.yaml'), report]);
  expect(reported).toEqual({ code: 0, stdout: `${report}\n`, stderr: '' });
  expect(await readFile(report, 'utf8')).toMatch(/Two inputs[\s\S]*All 2 suggested inputs[\s\S]*case 1/);

  const file = await write('failing', { more: 'stopAfterFailures: 2\nonExit: {0: fail}' });
  const failing = await runCommand(['run', file]);
  expect(failing.code).toBe(12);
  expect(failing.stdout).toContain('Given up:');
});

test('A program that did not run fails no run, and the same command goes on once it can', async () => {
  const file = await write('away', { wholeCalls: 3, more: 'onExit: {1: fault}' });
  const away = await runCommand(['run', file]);
  expect(away.code).toBe(2);
  expect(away.stdout).toMatch(
    /Nothing can be run here: .*exit code 1: Error: a bug.*\nNothing is lost\. Once it can: /,
  );
  expect(await finishedInputs('away')).toHaveLength(3);
  await writeFile(path.join(folder, 'away.log.mended'), '');
  expect((await runCommand(['run', file])).code).toBe(0);
  const { runs } = JSON.parse(await readFile(path.join(folder, 'away.json'), 'utf8'));
  expect(runs.every(({ output }: { output: unknown }) => output !== null)).toBe(true);
  expect(await lines('away.log')).toHaveLength(runs.length + 1);
});

test('Failed designed runs are run once more on request, and then the search begins', async () => {
  const file = await write('broken', { wholeCalls: 0 });
  const broken = await runCommand(['run', file]);
  expect(broken.code).toBe(12);
  expect(broken.stdout).toContain('Given up: All 10 designed cases failed');
  expect(broken.stdout).toContain(`backsolve run ${file} --retry-failed`);
  await writeFile(path.join(folder, 'broken.log.mended'), '');
  const again = await runCommand(['run', file]);
  expect([again.code, (await lines('broken.log')).length]).toEqual([12, 10]);

  const retried = await runCommand(['batch', file, '--retry-failed']);
  expect(retried).toMatchObject({ code: 0, stderr: '' });
  expect(retried.stdout).toContain('Trying 10 failed runs once more.');
  expect(retried.stdout).toMatch(/\d+ runs \(10 of them tried again\), with all digits/);
  const result = JSON.parse(await readFile(path.join(folder, 'broken.json'), 'utf8'));
  const calls = await lines('broken.log');
  expect(result).toMatchObject({ retried: 10, stopReason: 'SATISFIED' });
  expect(calls.slice(10, 20).sort()).toEqual(calls.slice(0, 10).sort());
  // Run 1 is the copy of a case with which a search begins.
  expect(result.runs.map(({ name }: { name: string }) => name)).toEqual(
    calls.slice(10).map((_, i) => (i < 10 ? `case ${i + 1}` : `run ${i - 8}`)),
  );
  expect(result.runs.every(({ output }: { output: unknown }) => output !== null)).toBe(true);

  const nothing = await runCommand(['run', file, '--retry-failed']);
  expect(nothing.code).toBe(0);
  expect(nothing.stdout).toContain('nothing to try again');
  expect(await lines('broken.log')).toHaveLength(calls.length);
  const both = await runCommand(['run', file, '--retry-failed', '--new']);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('give one of the two')]);
});

test('Failed runs of the search are run once more on request, and the search goes on with their outputs', async () => {
  const file = await write('half', { wholeCalls: 2, more: 'stopAfterFailures: 3' });
  const broken = await runCommand(['run', file]);
  expect(broken.code).toBe(12);
  const failed = (await lines('half.log')).slice(2);
  expect(failed).toHaveLength(3);
  await writeFile(path.join(folder, 'half.log.mended'), '');
  const retried = await runCommand(['run', file, '--retry-failed']);
  expect(retried).toMatchObject({ code: 0, stderr: '' });
  const calls = await lines('half.log');
  expect(calls.slice(5, 8)).toEqual(failed);
  expect(new Set(calls.slice(5)).size).toBe(calls.length - 5);
  const result = JSON.parse(await readFile(path.join(folder, 'half.json'), 'utf8'));
  expect(result.retried).toBe(3);
  expect(result.runs).toHaveLength(calls.length - 3);
  expect(result.runs.every(({ output }: { output: unknown }) => output !== null)).toBe(true);
});

test('A renamed file goes on with its runs, a copy begins without them, and a file that was moved away from them is refused', async () => {
  const file = await write('before', { more: 'maximumRuns: 3' });
  expect((await runCommand(['run', file])).code).toBe(11);
  const after = path.join(folder, 'after.yml');
  await rename(file, after);
  const renamed = await runCommand(['run', after]);
  expect(renamed.code).toBe(11);
  expect(renamed.stdout).toContain('before.yaml is gone and was the same problem: this file goes on with its 3 runs');
  expect(await lines('before.log')).toHaveLength(3);
  const again = await runCommand(['run', after]);
  expect([again.code, again.stdout.includes('is gone')]).toEqual([11, false]);

  const copy = path.join(folder, 'copy.yaml');
  await copyFile(after, copy);
  const copied = await runCommand(['run', copy]);
  expect(copied.stdout).toContain('after.yml is the same problem and has 3 runs; this file begins without them.');
  expect(await lines('before.log')).toHaveLength(6);

  await mkdir(path.join(folder, 'elsewhere'));
  await rm(copy);
  const moved = path.join(folder, 'elsewhere', 'after.yml');
  await rename(after, moved);
  await copyFile(path.join(folder, 'box.mjs'), path.join(folder, 'elsewhere', 'box.mjs'));
  const refused = await runCommand(['run', moved]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`The same problem was begun as ${after}, which is gone; its 3 runs are in`);
  expect(refused.stderr).toContain('--new');
});

test('An address may be the black box; where nothing is left to try, the end says why by name', async () => {
  const server = createServer(async (request, response) => {
    const { inputByName } = (await json(request)) as { inputByName: { a: number; b: number } };
    response.end(JSON.stringify({ output: { p: inputByName.a + inputByName.b } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const file = path.join(folder, 'stopped.yaml');
  await writeFile(
    file,
    `inputs: {a: {type: integer, minimum: 0, maximum: 1}, b: {type: boolean}}
outputs: {p: {atLeast: 3}}
evaluator: {url: "http://127.0.0.1:${port}/"}
jobs: 4
`,
  );
  const { code, stdout, stderr } = await runCommand(['run', file]);
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
  expect(await runCommand(['run', file, '--check'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(sentence),
  });
  const first = await runCommand(['run', file]);
  expect(first.code).toBe(10);
  expect(first.stdout).toContain(sentence);
  expect(first.stdout).toMatch(/^Stopped after \d+ runs: the targets seem out of reach together/m);
  const summary = JSON.parse(await readFile(path.join(folder, 'wide.json'), 'utf8'));
  const count = summary.runs.length;
  expect(count).toBeLessThan(25);
  expect(first.stdout).toContain(`To go on from here: backsolve run ${file} --runs ${Math.max(count + 20, 26)}`);
  expect(summary.advice).toEqual([{ kind: 'log-scale', sentence }]);
  const again = await runCommand(['run', file]);
  expect(again.stdout).not.toMatch(/^run \d/m);
  const more = await runCommand(['run', file, '--runs', '26', '--jobs', '8']);
  expect(more.code).toBe(11);
  expect((await lines('wide.log')).length).toBe(26);
});

test('What the targets cost is told, and targets relaxed so are met without a further run', async () => {
  const file = await write('relaxed', { target: 5.6 });
  const { code, stdout } = await runCommand(['run', file, '--jobs', '3']);
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
  const relaxed = await runCommand(['run', file]);
  expect(relaxed).toMatchObject({ code: 0, stdout: expect.stringContaining('Solved: everything is met') });
  expect(await lines('relaxed.log')).toHaveLength(count);
});

test('A service that cannot be reached, or is none, has an exit code of its own', async () => {
  const files = [await write('unreachable'), await write('no-service')];
  const page = createServer((_, response) => void response.end('<html>Welcome</html>')).listen(0, '127.0.0.1');
  await once(page, 'listening');
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  const urls = [`http://127.0.0.1:${await findFreePort()}`, `http://127.0.0.1:${port}`];
  const ends = await Promise.all(urls.map((url, i) => runCommand(['run', files[i]!, '--url', url, '--key', 'bks_1'])));
  expect(ends.map(({ code }) => code)).toEqual([69, 69]);
  expect(ends[0]!.stdout).toContain(`No answer from ${urls[0]}`);
  expect(ends[1]!.stdout).toContain(`There is no Backsolve service at ${urls[1]}`);
  for (const [i, { stdout }] of ends.entries()) expect(stdout).toContain(`Go on with: backsolve run ${files[i]}`);
});

test('The start and known runs of a file count', async () => {
  await writeFile(path.join(folder, 'runs.csv'), 'a [mm],b,p [kg],q\n1,1,1,4\n2,1,2,5\n9,1,9,12\n');
  const file = await write('known', { more: 'known: runs.csv\nstart: {a: 1, b: 2}' });
  const { code, stdout } = await runCommand(['run', file]);
  expect(code).toBe(0);
  expect(stdout).toContain('run 1 (start): a=1 b=2 -> p=2 q=7');
  expect(stdout).not.toContain('case ');
});

test('After the service of the folder was killed, a program that takes its port gets no key', async () => {
  const file = await write('stolen', { ms: 0, target: 4 });
  const user = await joinLocalService(path.join(folder, '.backsolve'), { command: [process.execPath, EXECUTABLE] });
  onTestFinished(() => user.close());
  const { url, pid } = JSON.parse(await readFile(path.join(folder, '.backsolve/service.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => startOf(pid)).toBeUndefined();
  const port = Number(new URL(url).port);
  const received: string[] = [];
  const thief = createServer((request, response) => {
    received.push(JSON.stringify([request.url, request.headers]));
    response.end('{"status":"ready","writes":true}');
  });
  // The system closes the port a moment after the process is gone.
  const listens = () =>
    once(thief.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
  await expect.poll(listens).toBe(true);
  onTestFinished(() => void thief.close());
  expect(await runCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
  expect(received.length).toBeGreaterThan(0);
  expect(received.join()).not.toContain('authorization');
});

test('batch solves several files side by side, and all target sets of one, and sums them up', async () => {
  const sets = await write('sets', { more: 'jobs: 1\ntargets: [{p: 4}, {p: 5}]' });
  const { code, stdout } = await runCommand(['batch', await write('single'), sets]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/single\.yaml +everything met/);
  expect(stdout).toMatch(/sets\.yaml +2 of 2 sets met/);
  const result = JSON.parse(await readFile(path.join(folder, 'sets.json'), 'utf8'));
  expect(result.targets.map((set: { stopReason: string }) => set.stopReason)).toEqual(['SATISFIED', 'SATISFIED']);
  expect(await namesOf('sets')).toEqual(
    expect.arrayContaining(['case 1', 'run 2 of target set 1', 'run 2 of target set 2']),
  );
  // With more target sets than jobs, an input waits while another one runs.
  const parallelismOf = async (name: string) => {
    const record = JSON.parse(await readFile(path.join(folder, '.backsolve', name, 'problem.json'), 'utf8'));
    return record.batches[0].body.parallelism;
  };
  expect([await parallelismOf('single'), await parallelismOf('sets')]).toEqual([1, 2]);
});

test('Several solutions and a front are told in full at the end', async () => {
  const several = await write('several', { maximum: 8, more: 'solutions: {count: 2, apart: 0.2}' });
  const solved = await runCommand(['run', several]);
  expect(solved).toMatchObject({ code: 0, stderr: '' });
  const { solutions } = JSON.parse(await readFile(path.join(folder, 'several.json'), 'utf8'));
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
  const ended = await runCommand(['run', front]);
  expect(ended).toMatchObject({ code: 11, stderr: '' });
  expect(ended.stdout).toContain('Ended after 10 runs: no more are allowed.');
  const found = JSON.parse(await readFile(path.join(folder, 'front.json'), 'utf8')).front as {
    output: { p: number; q: number };
  }[];
  expect(found.length).toBeGreaterThan(1);
  for (const { output } of found)
    expect(found.some((one) => one.output.p > output.p && one.output.q < output.q)).toBe(false);
  expect(ended.stdout).toContain(`The front, ${found.length} runs:`);

  // One output without a target has a best run.
  const one = await write('one', { more: 'maximumRuns: 6' });
  await writeFile(one, (await readFile(one, 'utf8')).replace(...goals[0]));
  const { stdout } = await runCommand(['run', one]);
  expect(stdout).toMatch(/Best: run \d+\.$/m);
  expect(stdout).toMatch(/^ {2}p .* as large as possible$/m);
});

/** A tank that drains, as a table on its own grid of time. */
const TANK = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const { inputByName: { h, k }, outputNames } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(process.argv[2], outputNames.join() + '\\n');
const rows = Array.from({ length: 101 }, (_, i) => [i / 20, h * Math.exp(-k * i / 20)].join());
writeFileSync('out.csv', ['t,h', ...rows].join('\\n'));
writeFileSync('cost.txt', String(2 * h));
`;

test('A curve of a table is fitted to data in a file, and the end says what the data tell; a column that is not there is a failed run', async () => {
  const times = [0, 0.52, 1.03, 1.5, 2, 3, 4.9];
  const errors = [0.02, -0.03, 0.01, 0.02, -0.02, -0.01, 0.01];
  const rows = times.map((time, i) => `${time},${2 * Math.exp(-0.7 * time) + errors[i]!}`);
  await writeFile(path.join(folder, 'level.csv'), ['time,level', ...rows.toSpliced(3, 0, '1.2,')].join('\n'));
  await writeFile(path.join(folder, 'tank.mjs'), TANK);
  const write = async (name: string, column: string) => {
    const command = [process.execPath, path.join(folder, 'tank.mjs'), path.join(folder, `${name}.log`)];
    await writeFile(
      path.join(folder, `${name}.yaml`),
      `inputs:
  h: {minimum: 0.5, maximum: 5}
  k: {minimum: 0.05, maximum: 3}
outputs:
  level: {unit: m, fit: {data: level.csv, x: time, y: level, sigma: 0.02}, read: {csv: out.csv, x: t, y: ${column}}}
  cost: {atMost: 9}
read: [cost=cost.txt]
command: ${JSON.stringify(command)}
maximumRuns: 40
retries: 0
stopAfterFailures: 2
`,
    );
    return path.join(folder, `${name}.yaml`);
  };
  const end = await runCommand(['run', await write('tank', 'h')]);
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toMatch(/^run \d+: h=.* -> level=7 values cost=.*; best: run \d+, chi-square \d/m);
  expect(end.stdout).toMatch(/^Fitted after \d+ runs\. Best: run \d+\./m);
  expect(end.stdout).toMatch(/^ {2}level +chi-square [\d.]+ +fit to 7 values, each \+-0\.02 m$/m);
  expect(end.stdout).toMatch(/^What the data tell:\n {2}h: .*; 95 % interval .* to .*\.\n {2}k: /m);
  expect(new Set(await lines('tank.log'))).toEqual(new Set(['level,cost']));
  expect((await lines('tank.csv'))[0]!.trim()).toBe(
    'h,k,level[0] [m],level[1] [m],level[2] [m],level[4] [m],level[5] [m],level[6] [m],level[7] [m],cost,number,run,status,failureReason',
  );
  const { optimum, fit, fitParameters } = JSON.parse(await readFile(path.join(folder, 'tank.json'), 'utf8'));
  expect(optimum.output.level).toHaveLength(7);
  expect(optimum.misses).toEqual({ cost: 0 });
  expect(optimum.input.h / 2).toBeCloseTo(1, 1);
  expect(fit).toMatchObject({ freedom: 5, warnings: [] });
  expect(fitParameters.parameters).toMatchObject([{ kind: 'identifiable' }, { kind: 'identifiable' }]);

  const wrong = await runCommand(['run', await write('untitled', 'level')]);
  expect(wrong.code).toBe(12);
  expect(wrong.stdout).toContain(
    'failed: level: out.csv, columns t and level: it has no column level; line 1 has t, h',
  );
});

test('Data of two temperatures are one run: the command is called once at each, and is told which', async () => {
  const at = (temperature: number) =>
    [0, 1, 2, 4].map((t) => `${t},${Math.exp(-0.7 * Math.exp((0.5 * (temperature - 300)) / 20) * t)}`);
  await writeFile(path.join(folder, 'cold.csv'), ['time,level', ...at(280)].join('\n'));
  await writeFile(path.join(folder, 'warm.csv'), ['time,level', ...at(320)].join('\n'));
  await writeFile(
    path.join(folder, 'reactor.mjs'),
    `import { appendFileSync, readFileSync } from 'node:fs';
const { inputByName: { k, energy, temperature }, outputNames } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(process.argv[2], [process.argv[3], process.env.BACKSOLVE_INPUT_TEMPERATURE, outputNames] + '\\n');
const rate = k * Math.exp((energy * (temperature - 300)) / 20);
const x = Array.from({ length: 81 }, (_, i) => i / 20);
const level = { x, y: x.map((t) => Math.exp(-rate * t)) };
console.log(JSON.stringify(temperature === 280 ? { level, cost: 3 } : { level }));
`,
  );
  const write = async (name: string, warm: string) => {
    const command = ['node', path.join(folder, 'reactor.mjs'), path.join(folder, `${name}.log`), '{temperature}'];
    const file = path.join(folder, `${name}.yaml`);
    await writeFile(
      file,
      `inputs:
  k: {minimum: 0.05, maximum: 3, scale: log}
  energy: {minimum: 0, maximum: 2}
outputs:
  cold: {fit: {data: cold.csv, x: time, y: level, sigma: 0.01, when: {temperature: 280}, output: level}}
  warm: {fit: {data: warm.csv, x: time, y: level, sigma: 0.01, ${warm}}}
  cost: {atMost: 9}
command: ${JSON.stringify(command)}
maximumRuns: 40
`,
    );
    return file;
  };
  const end = await runCommand(['run', await write('reactor', 'when: {temperature: 320}, output: level')]);
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toMatch(/^Fitted after \d+ runs\. Best: run \d+\./m);
  const called = await lines('reactor.log');
  const runs = called.length / 2;
  expect(called).toEqual(Array.from({ length: runs }, () => ['280,280,level,cost', '320,320,level']).flat());
  const { optimum, fit } = JSON.parse(await readFile(path.join(folder, 'reactor.json'), 'utf8'));
  expect([optimum.input.k, optimum.input.energy]).toEqual([expect.closeTo(0.7, 1), expect.closeTo(0.5, 1)]);
  expect(fit.sets.map(({ name }: { name: string }) => name)).toEqual(['cold', 'warm']);

  const refused = async (warm: string) => (await runCommand(['run', '--check', await write('wrong', warm)])).stderr;
  expect(await refused('when: {k: 320}')).toContain('The data of warm fix k, which the search varies');
  expect(await refused('output: level')).toContain('give when, or leave out output');
  expect(await refused('when: {temperature: 280}, output: level')).toContain(
    'outputs.warm: is about level as another data set under the same conditions',
  );
  expect(await refused('when: {}')).toContain('outputs.warm.fit.when: must name at least one condition.');
});

test('--check lists everything that is wrong, at its place, and begins nothing', async () => {
  const file = path.join(folder, 'wrong.yaml');
  await writeFile(
    file,
    'inputs:\n  a: {minimum: 3, maxium: 2}\n  b: {minimum: 0, maximum: 1, scale: log}\noutputs:\n  p: {target: 0, within: 5%}\ncommand: [nowhere]\njobs: 0\n',
  );
  const { code, stderr } = await runCommand(['run', '--check', file]);
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toEqual([
    `${file}:2:3: inputs.a.maximum: is required, or values with all that the input takes.`,
    `${file}:2:19: inputs.a.maxium: is not known here; did you mean maximum?`,
    `${file}:7:7: jobs: must be a whole number from 1 to 64, is 0.`,
  ]);
  await writeFile(
    file,
    'inputs: {a: {minimum: 0, maximum: 1, scale: log}}\noutputs: {p: {below: 3}}\ncommand: [nowhere]\n',
  );
  const second = await runCommand(['run', '--check', file]);
  expect(second.stderr).toContain(`${file}:1:38: inputs.a.scale: can be log only with a positive minimum`);
  await writeFile(
    file,
    'inputs: {a: {minimum: 0, maximum: 1}}\noutputs: {p: {below: 3}}\n"x\\e[2J": 1\ncommand: [node]\n',
  );
  const third = await runCommand(['run', '--check', file]);
  expect(third.stderr).toContain(`${file}:3:1: x [2J: is not known here`);
  expect(await exists('.backsolve/wrong')).toBe(false);
});

test('--check says which formats lose values, and what does not fit its width is refused before anything runs', async () => {
  const file = path.join(folder, 'widths.yaml');
  const write = (placeholder: string) => writeFile(path.join(folder, 'card.tmpl'), `MAT1{{${placeholder}}}{{n:3d}}\n`);
  await writeFile(
    file,
    `inputs: {k: {minimum: 1e-6, maximum: 1e-3, scale: log}, n: {type: integer, minimum: 1, maximum: 999}}
outputs: {y: {atMost: 1}}
templates: [card.tmpl:card.txt]
failsIf: [y=-1]
command: [node, -e, 'console.log(1)']
`,
  );
  await write('k:8.3f');
  expect(await runCommand(['run', '--check', file])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'card.tmpl: k:8.3f writes 0.000001 and 0.00000104407 both as 0.000 (2 texts for 101 values from bound to bound), and ' +
        '0.000001 as 0.000, which is below the bound: write k:8.3g.',
    ),
  });
  await write('k:8.3g');
  expect((await runCommand(['run', '--check', file])).stdout).not.toContain('card.tmpl');
  await write('k:8.3e');
  for (const flags of [['--check'], []]) {
    expect(await runCommand(['run', ...flags, file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'widths.yaml:3:1: templates: card.tmpl: k:8.3e: 1.000e-06 takes 9 characters, but the width is 8; write k:8.2e.',
      ),
    });
  }
});
