import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, it as test } from 'vitest';
import { type Fit, fit as fitTo } from '../../../clients/typescript/src/solve/fit.ts';
import type { CallOptions, Surroundings } from '../../../src/runner/black-box/black-box.ts';
import { describeByProgram, openProgram, type ProgramOptions } from '../../../src/runner/black-box/python-program.ts';
import { EVALUATION } from '../evaluation-fixture.ts';

// The program in place of Python is a script that the system starts.
const it = test.skipIf(process.platform === 'win32');
const never = new AbortController().signal;

/** A program in place of Python, which is started with what Python is. */
async function helper(program: string): Promise<{ options: ProgramOptions; where: Surroundings; home: string }> {
  const home = await mkdtemp(path.join(tmpdir(), 'backsolve-helper-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFile(path.join(home, 'python'), `#!${process.execPath}\n${COMMON}${program}`);
  await chmod(path.join(home, 'python'), 0o755);
  const settings = { file: 'model.fmu' };
  return {
    options: { kind: 'fmu', name: 'model.fmu', python: './python', settings },
    where: { home, workFolder: home, environment: { PATH: process.env['PATH'] } },
    home,
  };
}

const COMMON = `
const { createServer } = require('node:http');
const { appendFileSync } = require('node:fs');
const [, , , , mode, kind] = process.argv;
const say = (body) => process.stdout.write(JSON.stringify(body) + '\\n');
const serve = (answer) => {
  process.stdin.resume().on('end', () => process.exit());
  const server = createServer(async (request, response) => {
    const message = JSON.parse(Buffer.concat(await request.toArray()));
    response.end(JSON.stringify(answer(message)));
  }).listen(0, '127.0.0.1', () => say({ url: 'http://127.0.0.1:' + server.address().port + '/secret/run' }));
};
appendFileSync('started', mode + ' ' + process.pid + '\\n');
`;

const started = async (home: string) => (await readFile(path.join(home, 'started'), 'utf8')).trim().split('\n');

const callFor = (outputs: readonly string[], fits: ReadonlyMap<string, Fit> = new Map()): CallOptions => ({
  names: { inputs: ['length', 'steel'], outputs },
  fits,
  curves: [],
  isWhole: true,
});

/** A process that has ended is not there, or waits to be collected. */
async function isGone(process: string): Promise<boolean> {
  const state = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => 'gone (x) Z');
  return state.split(') ')[1]!.startsWith('Z');
}

it('starts one program for all runs, tells it where curves are needed, and ends it', async () => {
  const { options, where, home } = await helper(
    'serve(({ inputByName, curves }) => ({ mass: inputByName.length, level: curves.level.map((x) => x === null ? null : 2 * x) }))',
  );
  const box = openProgram(options, where);
  const level = fitTo([1, null, 3], { x: [0.5, 0.7, 1.5] });
  const evaluate = await box.call(callFor(['mass', 'level'], new Map([['level', level]])));
  await expect(readFile(path.join(home, 'started'))).rejects.toThrow('ENOENT');
  const one = { ...EVALUATION, outputNames: ['mass', 'level[0]', 'level[2]'], outputCount: 3 };
  for (const _ of [1, 2]) expect(await evaluate(one, never)).toEqual({ kind: 'output', output: [3.5, 1, 3] });
  const [only, ...others] = await started(home);
  expect(others).toEqual([]);
  await box.close();
  if (process.platform === 'linux') expect(await isGone(only!.split(' ')[1]!)).toBe(true);
});

it('starts the program again when it has died, and the run that it took along is tried again', async () => {
  const { options, where, home } = await helper(
    "require('node:fs').existsSync('dead') ? serve(() => [1, 2]) : serve(() => { appendFileSync('dead', ''); process.exit(3); })",
  );
  const box = openProgram(options, where);
  const evaluate = await box.call(callFor(['mass', 'sag']));
  expect(await evaluate(EVALUATION, never)).toMatchObject({ kind: 'failure', retryable: true });
  const again = () => evaluate(EVALUATION, never);
  await expect.poll(again, { timeout: 10_000 }).toEqual({ kind: 'output', output: [1, 2] });
  expect(await started(home)).toHaveLength(2);
  await box.close();
});

it('ends the search where the program does not start, with its reason', async () => {
  const broken = await helper("process.stderr.write('OSError: no room\\n'); process.exit(1)");
  const missing = await helper("say({ fault: { missing: 'fmpy' } })");
  for (const [{ options, where }, reason] of [
    [broken, 'has ended: OSError: no room'],
    [missing, "pip install 'backsolve[fmu]'"],
  ] as const) {
    const box = openProgram(options, where);
    const evaluate = await box.call(callFor(['mass', 'sag']));
    await expect(evaluate(EVALUATION, never)).rejects.toThrow(reason);
    await box.close();
  }
});

it('says what is missing before anything runs', async () => {
  const ask = async (program: string) => {
    const { options, where } = await helper(program);
    return describeByProgram(options, where);
  };
  expect(await ask("say({ inputs: { k: { minimum: 1 } }, model: 'bounce' })")).toEqual({
    inputs: { k: { minimum: 1 } },
    outputs: {},
    faults: [],
    model: 'bounce',
  });
  for (const [program, message] of [
    ["say({ fault: { message: 'model.fmu has no binaries for linux64.' } })", 'model.fmu has no binaries for linux64.'],
    ['process.stderr.write("/usr/bin/python3: No module named backsolve\\n"); process.exit(1)', "'backsolve[fmu]'"],
    ["process.stderr.write('Traceback\\nValueError: odd\\n'); process.exit(1)", 'has ended: ValueError: odd'],
  ] as const) {
    const { faults } = await ask(program);
    expect(faults).toEqual([{ path: ['fmu'], message: expect.stringContaining(message) }]);
  }
  const { options, where } = await helper('');
  expect((await describeByProgram({ ...options, python: 'no-such-python' }, where)).faults[0]!.message).toContain(
    'The command no-such-python is in no folder of PATH.',
  );
});
