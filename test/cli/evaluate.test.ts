/** `backsolve evaluate` against the real service: evaluators that share the work, and every way in which they end. */
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { EVALUATION } from '../runner/evaluation-fixture.ts';
import { expireLease } from '../support/evaluations.ts';
import { hasEnded, untilBatch } from '../support/evaluator.ts';
import { runCommand, startCommand } from '../support/run-command.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let evaluatorKey: string;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  evaluatorKey = await createKey(service.service.db, {
    account: 'test',
    label: null,
    scopes: ['evaluate'],
    expiresAt: null,
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-evaluate-'));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** The outputs a + b and a - b. */
const COMPUTE = `awk -v a="$BACKSOLVE_INPUT_A" -v b="$BACKSOLVE_INPUT_B" 'BEGIN { printf "[%.17g, %.17g]\\n", a + b, a - b }'`;
/** Says that it runs, and waits for its sign. */
const waitsFor = (sign: string) =>
  `echo "$$ $BACKSOLVE_EVALUATION_ID" >> ${folder}/running; while [ ! -e ${folder}/${sign} ]; do sleep 0.05; done; ${COMPUTE}`;

/** A batch that evaluates so many cases first. */
async function createBatch(cases: number): Promise<number> {
  const model = await service.ok<{ id: number }>('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const project = await service.ok<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'sum and difference',
    inputCount: 2,
    inputNames: ['a', 'b'],
    minimums: [0, 0],
    maximums: [1, 1],
    inputTypes: ['float', 'float'],
    outputNames: ['sum', 'difference'],
    inputCases: Array.from({ length: cases }, (_, i) => [i / cases, (i * i) / (cases * cases)]),
  });
  const goal = {
    objectives: [0.7, 0.1],
    objectiveTypes: ['value', 'value'],
    minimumBounds: [-0.02, -0.02],
    maximumBounds: [0.02, 0.02],
  };
  const batch = { objectives: [goal], parallelism: 2 };
  const { id } = await service.ok<{ id: number }>('POST', `/models/${model.id}/projects/${project.id}/batches`, batch);
  return id;
}

interface Options {
  readonly url?: string;
  readonly key?: string;
}

function evaluate(args: readonly string[], script: string, { url, key = evaluatorKey }: Options = {}) {
  const command = ['evaluate', '--work', path.join(folder, 'work'), '--grace', '1', ...args, '--shell', '--', script];
  const evaluator = startCommand(command, {
    BACKSOLVE_URL: url ?? service.service.url!,
    BACKSOLVE_API_KEY: key,
    PATH: process.env['PATH']!,
  });
  onTestFinished(() => void evaluator.child.kill('SIGKILL'));
  return evaluator;
}

interface Started {
  readonly pid: number;
  readonly id: number;
}

/** The programs that have said that they run, once there are so many. */
async function untilRunning(count: number): Promise<readonly Started[]> {
  const read = async (): Promise<readonly Started[]> => {
    const text = await readFile(path.join(folder, 'running'), 'utf8').catch(() => '');
    return [...text.matchAll(/^(\d+) (\d+)$/gm)].map(([, pid, id]) => ({ pid: Number(pid), id: Number(id) }));
  };
  await expect.poll(async () => (await read()).length).toBe(count);
  return read();
}

function isRunning({ pid }: Started): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const give = (sign: string) => writeFile(path.join(folder, sign), '');
const read = (id: number) => service.ok<Record<string, unknown>>('GET', `/evaluations/${id}`);

test('two evaluators share a batch; what one of them held when it was killed goes to the other', async () => {
  const batchId = await createBatch(4);
  const of = ['--batch', String(batchId)];
  const killed = evaluate([...of, '-j', '2', '--lease', '5'], waitsFor('never'));
  const held = await untilRunning(2);
  killed.child.kill('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  // Its programs do not run on unnoticed.
  await expect.poll(() => held.some(isRunning)).toBe(false);

  const script = `echo "$BACKSOLVE_EVALUATION_ID \${BACKSOLVE_API_KEY-none}" >> ${folder}/done; ${COMPUTE}`;
  const other = evaluate([...of, '-j', '2'], script);
  for (const { id } of held) await expireLease(service.service.db, id);
  const batch = await untilBatch(service, batchId, hasEnded);
  other.child.kill('SIGTERM');
  expect(await other.ended).toBe(0);
  expect(batch).toMatchObject({
    status: 'completed',
    progress: { cases: { planned: 4, done: 4, failed: 0 }, objectives: { satisfied: 1 } },
  });
  // Every evaluation was run once, without the key; one that still ran when the target was met is not counted as done.
  const lines = (await readFile(path.join(folder, 'done'), 'utf8')).trim().split('\n');
  expect(new Set(lines).size).toBe(lines.length);
  const states = await Promise.all(lines.map(async (line) => (await read(Number.parseInt(line, 10)))['state']));
  const { progress } = await untilBatch(service, batchId, hasEnded);
  expect(states.filter((state) => state === 'done')).toHaveLength(progress.evaluations['done']!);
  expect(lines.every((line) => line.endsWith(' none'))).toBe(true);
  for (const { id } of held) expect(await read(id)).toMatchObject({ state: 'done', lostLeases: 1, failedTries: 0 });
});

test('an evaluator that was frozen drops what another has done meanwhile', async () => {
  const batchId = await createBatch(2);
  const of = ['--batch', String(batchId)];
  const frozen = evaluate([...of, '--lease', '5', '--drain', '0'], waitsFor('never'));
  const [held] = await untilRunning(1);
  frozen.child.kill('SIGSTOP');
  await expireLease(service.service.db, held!.id);
  const other = evaluate(of, COMPUTE);
  await untilBatch(service, batchId, hasEnded);
  other.child.kill('SIGTERM');
  frozen.child.kill('SIGCONT');
  await frozen.prints(/dropped: its lease is lost/);
  expect(isRunning(held!)).toBe(false);
  expect(await frozen.ended).toBe(0);
  expect(await read(held!.id)).toMatchObject({ state: 'done', lostLeases: 1 });
});

test('the first signal waits for what runs, the second gives it back', async () => {
  const batchId = await createBatch(3);
  const of = ['--batch', String(batchId), '-j', '2'];
  const patient = evaluate(of, waitsFor('go'));
  const first = await untilRunning(2);
  patient.child.kill('SIGTERM');
  await patient.prints(/SIGTERM: claims no more/);
  await give('go');
  expect(await patient.ended).toBe(0);
  expect(patient.stdout()).toContain('ends: 2 outputs');
  for (const { id } of first) expect(await read(id)).toMatchObject({ state: 'done' });

  const hurried = evaluate(of, waitsFor('never'));
  const [, , last] = await untilRunning(3);
  hurried.child.kill('SIGINT');
  await hurried.prints(/SIGINT: claims no more/);
  // A signal right after the first may be the same one, passed on by a parent.
  const again = setInterval(() => hurried.child.kill('SIGINT'), 100);
  await hurried.prints(/SIGINT: ends what runs/);
  clearInterval(again);
  expect(await hurried.ended).toBe(130);
  expect(isRunning(last!)).toBe(false);
  expect(await read(last!.id)).toMatchObject({ state: 'waiting', lostLeases: 0, failedTries: 0 });
});

test('a program that the signal to its evaluator ends as well is given back without a try counted', async () => {
  const batchId = await createBatch(2);
  const evaluator = evaluate(['--batch', String(batchId), '-j', '2'], `trap 'exit 1' TERM; ${waitsFor('never')}`);
  const held = await untilRunning(2);
  evaluator.child.kill('SIGTERM');
  await evaluator.prints(/SIGTERM: claims no more/);
  // A cluster signals every process of a job. One program dies of it, the other catches it and ends by itself.
  process.kill(-held[0]!.pid, 'SIGKILL');
  process.kill(-held[1]!.pid, 'SIGTERM');
  expect(await evaluator.ended).toBe(0);
  expect(evaluator.stdout()).toContain('it ended with its evaluator: exit code 1');
  for (const { id } of held) expect(await read(id)).toMatchObject({ state: 'waiting', lostLeases: 0, failedTries: 0 });
});

test('a result that comes while the service is away is reported when it is back', async () => {
  const proxy = new TcpProxy(service.service.url!);
  await proxy.listen();
  onTestFinished(() => proxy.close());
  const batchId = await createBatch(1);
  const url = proxy.through(service.service.url!);
  const evaluator = evaluate(['--batch', String(batchId), '--once'], waitsFor('go'), { url });
  const [held] = await untilRunning(1);
  proxy.mode = 'refuse';
  proxy.cut();
  await give('go');
  await evaluator.prints(/the service is away; results are kept/);
  expect(await read(held!.id)).toMatchObject({ state: 'leased' });
  proxy.mode = 'forward';
  await evaluator.prints(/the service is back/);
  expect(await evaluator.ended).toBe(0);
  expect(await read(held!.id)).toMatchObject({ state: 'done', output: [0, 0], failedTries: 0 });
});

test('an address at which nothing has answered is complained about', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const evaluator = evaluate(['--drain', '0'], 'true', { url });
  expect(await evaluator.ended).toBe(69);
  expect(evaluator.stdout()).toContain('nothing has answered at this address yet');
  expect(evaluator.stderr()).toContain('Check --url, and whether the service runs.');
});

test('a program whose output is no longer needed is ended', async () => {
  const batchId = await createBatch(1);
  const evaluator = evaluate(['--batch', String(batchId), '--lease', '5', '--drain', '0'], waitsFor('never'));
  const running = await untilRunning(1);
  await service.ok('POST', `/batches/${batchId}/cancel`);
  await evaluator.prints(/its output is not wanted any more/);
  expect(running.some(isRunning)).toBe(false);
  expect(await evaluator.ended).toBe(0);
});

test('failures, retries and aborts of a program reach the batch', async () => {
  const batchId = await createBatch(3);
  const script = `case $BACKSOLVE_INPUT_A in 0) echo fail the mesh broke ;; 0.3*) echo no licence >&2; exit 75 ;; *) exit 4 ;; esac`;
  const args = ['--batch', String(batchId), '--on-exit', '4=abort', '--keep', 'all'];
  const evaluator = evaluate(args, script, { key: service.key });
  expect(await evaluator.ended).toBe(12);
  expect(evaluator.stdout()).toMatch(/case 1\): failed: the mesh broke; after/);
  expect(evaluator.stdout()).toMatch(/case 2\): to be tried again: exit code 75: no licence; after/);
  expect(evaluator.stdout()).toMatch(/case 3\): given back: exit code 4/);
  expect(evaluator.stderr()).toContain(`Batch ${batchId} is paused`);
  expect(await service.ok('GET', `/batches/${batchId}`)).toMatchObject({
    isPaused: true,
    progress: { evaluations: { waiting: 2, failed: 1 } },
  });
});

test('a machine that cannot run the program gives the evaluation back and ends', async () => {
  const batchId = await createBatch(1);
  await appendFile(path.join(folder, 'in.tmpl'), '{{lenght}}');
  const args = ['--batch', String(batchId), '--template', `${folder}/in.tmpl:in.dat`];
  const evaluator = evaluate(args, COMPUTE);
  expect(await evaluator.ended).toBe(74);
  expect(evaluator.stderr()).toContain('there is no input "lenght"; the inputs are a, b.');
  expect(await service.ok('GET', `/batches/${batchId}`)).toMatchObject({
    progress: { evaluations: { waiting: 1, failed: 0 } },
  });
  const denied = evaluate(['--batch', '999999999', '--drain', '0'], COMPUTE, {
    key: service.key.replace('bks_', 'bks-'),
  });
  expect(await denied.ended).toBe(2);
});

test('wrong usage claims nothing and says what to change', async () => {
  const service = ['--url', 'http://127.0.0.1:1', '--key', 'k'];
  const answers = [
    [['--', 'true'], 'Which service?'],
    [[...service, 'true'], 'Write it after --'],
    [[...service, '--jobs', '0', '--', 'true'], '--jobs takes a number from 1 to 64'],
    [[...service, '--', 'no-such-program', '--help'], 'is in no folder of PATH'],
  ] as const;
  await Promise.all(
    answers.map(async ([args, complaint]) => {
      const answer = await runCommand(['evaluate', ...args], { PATH: process.env['PATH']! });
      expect(answer).toMatchObject({ code: 2, stdout: '' });
      expect(answer.stderr).toContain(complaint);
    }),
  );
});

test.each([
  ['null', null],
  ['a path for a number', { evaluations: [{ ...EVALUATION, id: '../../\u001b[2Jx' }] }],
  ['more than was asked for', { evaluations: [EVALUATION, { ...EVALUATION, id: 92 }] }],
])('a service that answers a claim with %s runs nothing and is told in one line', async (_, body) => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(request.method === 'POST' ? JSON.stringify(body) : '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const evaluator = evaluate([], `touch ${folder}/ran`, { url: `http://127.0.0.1:${port}` });
  expect(await evaluator.ended).toBe(77);
  expect(evaluator.stderr()).toMatch(/^The answer comes from no Backsolve service: evaluations.*\n$/);
  expect(evaluator.stdout() + evaluator.stderr()).not.toContain('\u001b');
  expect(await readdir(folder)).toEqual(['work']);
  expect(await readdir(path.join(folder, 'work'))).toEqual([]);
});

test('names of a service are printed without what a terminal would obey', async () => {
  const batchId = await createBatch(1);
  const { db } = service.service;
  await sql`update projects set input_names = array[${'a\u001b[2J'}, 'b'] where id = (select project_id from batches where id = ${batchId})`.execute(
    db,
  );
  const evaluator = evaluate(['--batch', String(batchId), '--once'], 'echo "fail \u001b[31mred"');
  expect(await evaluator.ended).toBe(0);
  expect(evaluator.stdout()).toContain('a [2J=0 b=0');
  expect(evaluator.stdout()).toContain('[31mred');
  expect(evaluator.stdout()).not.toContain('\u001b');
});
