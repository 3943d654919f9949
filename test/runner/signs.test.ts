/** Signs of failed runs, `failsIf` and `succeedsIf`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { RunLog } from '../../src/runner/files/run-log.ts';
import { makeCommandRunner } from '../../src/runner/programs/command-runner.ts';
import { makeSigns } from '../../src/runner/programs/signs.ts';
import { EVALUATION } from './evaluation-fixture.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-signs-'));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const LOG = 'begins\nFailed elements: 12\nresidual = 2.5e-3\nends\n';

async function troubleOf(failsIf: readonly string[], succeedsIf: readonly string[] = []) {
  await writeFile(path.join(folder, 'run.log'), LOG);
  await writeFile(path.join(folder, 'out.json'), '{"status": {"code": 3, "word": "bad"}, "residual": NaN}');
  return makeSigns(failsIf, succeedsIf).inFiles(folder);
}

test.each([
  [['run.log:/^Failed elements: [1-9]/'], 'run.log: begins | Failed elements: 12 | residual = 2.5e-3'],
  [['run.log:/failed ELEMENTS/i'], 'run.log: begins | Failed elements: 12'],
  [['run.log:/^Failed elements: (\\d+)/ > 0'], 'run.log:/^Failed elements: (\\d+)/ > 0: it is 12'],
  [['run.log:/residual = (\\S+)/>=0.0025'], 'it is 2.5e-3'],
  [['out.json#/status/code != 0'], 'out.json#/status/code != 0: it is 3'],
  [['out.json#/residual > 0.1'], 'it is not finite'],
  [['no.log:/abort/', 'out.json#/status/code = 3'], 'it is 3'],
])('%j is a failed run', async (failsIf, reason) => {
  expect(await troubleOf(failsIf)).toEqual({ kind: 'failed', reason: expect.stringContaining(reason) });
});

test.each([
  [['run.log:/aborted/']],
  [['no.log:/aborted/']],
  [['run.log:/^Failed elements: (\\d+)/ > 12']],
  [['out.json#/status/code=0', 'out.json#/status/code < 3']],
])('%j is no failed run', async (failsIf) => {
  expect(await troubleOf(failsIf)).toBeUndefined();
});

test.each([
  [['no.json#/status != 0'], 'no.json#/status != 0: the command left no such file'],
  [['out.json#/status/none != 0'], 'out.json#/status/none != 0: nothing was found'],
  [['out.json#/status/word != 0'], 'is not a number: "bad"'],
  [['run.log:/elements: (\\d)/ > 0'], 'it takes 1 of 12 in the line "Failed elements: 12"'],
])('%j cannot be told', async (failsIf, reason) => {
  expect(await troubleOf(failsIf)).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
});

test.each([
  [['run.log:/^ends$/', 'out.json#/status/code > 2'], undefined],
  [['run.log:/^finished$/'], 'run.log:/^finished$/: nothing was found'],
  [['no.log:/^finished$/'], 'no.log:/^finished$/: the command left no such file'],
  [['out.json#/status/code = 0'], 'out.json#/status/code = 0: it is 3'],
  [['out.json#/residual < 1'], 'out.json#/residual < 1: it is not finite'],
])('without %j a run has failed', async (succeedsIf, reason) => {
  expect(await troubleOf([], succeedsIf)).toEqual(reason && { kind: 'failed', reason });
});

test.each([
  [['a\nma\n[70 bytes are left out here]\nss\nrun aborted\n'], 'failed'],
  [['run aborted\nma\n[70 bytes are left out here]\nss\nb\n'], 'failed'],
  [['a\nma\n[70 bytes are left out here]\nss\nb\n'], 'unreadable'],
])('a sign that may be in what is left out of %j leaves the run unread', async ([log], kind) => {
  await writeFile(path.join(folder, 'stdout.log'), log!);
  expect(await makeSigns(['stdout.log:/aborted/'], []).inFiles(folder)).toMatchObject({ kind });
});

describe('an output that stands for a failure', () => {
  const names = ['tt', 'level[0]', 'level[2]'];
  test.each([
    [['tt=-1'], [], [-1, 5, 6], 'tt = -1'],
    [['level = -999'], [], [1, 5, -999], 'level[2] = -999'],
    [['level[0] >= 5'], [], [1, 5, 6], 'level[0] = 5'],
    [['tt=-1'], [], [-1.5, -1, -1], undefined],
    [[], ['tt > 0'], [-1, 5, 6], 'tt = -1, not > 0'],
    [[], ['level < 6'], [1, 5, 6], 'level[2] = 6, not < 6'],
    [[], ['level <= 6', 'tt != 2'], [1, 5, 6], undefined],
  ])('%j %j of %j', (failsIf, succeedsIf, output, reason) => {
    const signs = makeSigns(failsIf, succeedsIf);
    signs.check(names);
    expect(signs.inOutputs(names, output)).toEqual(reason && { kind: 'failed', reason });
  });

  test.each([
    [['tt'], 'tt: write FILE:/PATTERN/ or compare an output with a number, such as tt=-1.'],
    [['tt=none'], '--fails-if tt=none: write FILE:/PATTERN/'],
    [['=3'], 'the name of the output is missing'],
    [['a.log:/(/'], 'Invalid regular expression'],
    [['a.log:/x/first'], '"first" is unknown; after /.../ comes i or nothing.'],
    [['/etc/passwd:/root/'], 'name a file in the work folder'],
    [['a.log:row 0 column 1 > 3'], 'rows count from 1'],
  ])('%j is refused at the start', (failsIf, message) => {
    expect(() => makeSigns(failsIf, [])).toThrow(message);
  });

  it('is refused where there is no such output', () => {
    const complaint = '--succeeds-if ttt>0: there is no output "ttt"; the outputs are tt, level[0], level[2].';
    expect(() => makeSigns([], ['ttt>0']).check(names)).toThrow(complaint);
  });
});

async function run(script: string, options: Partial<Parameters<typeof makeCommandRunner>[0]> = {}) {
  const runner = await makeCommandRunner({
    command: ['sh', '-c', script],
    startFolder: folder,
    workFolder: 'work',
    environment: { PATH: process.env['PATH'] },
    ...options,
  });
  onTestFinished(() => runner.close());
  return runner.evaluate(EVALUATION, new AbortController().signal);
}

test.each([
  ['echo "[1, -1]"', { failsIf: ['sag=-1'] }, { kind: 'failure', reason: 'sag = -1', retryable: false }],
  ['echo "[1, 2]"', { failsIf: ['sag=-1'], succeedsIf: ['mass > 0'] }, { kind: 'output', output: [1, 2] }],
  [
    'echo "[1, 2]"; echo oops >&2',
    { failsIf: ['stderr.log:/oops/'] },
    { kind: 'failure', reason: 'stderr.log: oops', retryable: false },
  ],
  [
    'echo oops >&2; exit 75',
    { failsIf: ['stderr.log:/oops/'] },
    { kind: 'failure', reason: 'exit code 75: oops', retryable: true },
  ],
  [
    'echo "mass 1 sag 2" > o.txt; echo "Failed elements: 0"',
    { reads: ['mass=o.txt:/mass (\\S+)/', 'sag=o.txt:/sag (\\S+)/'] },
    { kind: 'output', output: [1, 2] },
  ],
])('%s with %j', async (script, options, outcome) => {
  expect(await run(script, options)).toEqual(outcome);
});

test('a file of an earlier run among the copies is no sign', async () => {
  await writeFile(path.join(folder, 'error.txt'), 'of yesterday');
  const outcome = await run('echo "[1, 2]"', { copies: ['error.txt'], failsIf: ['error.txt:/./'] });
  expect(outcome).toEqual({ kind: 'output', output: [1, 2] });
});

test('a log that could not be written is not read as if it were complete', async () => {
  const log = new PassThrough();
  const errors: Error[] = [];
  const kept = new RunLog(log, '/dev/full', { fileBytes: 100, tailBytes: 100 }, (error) => errors.push(error));
  log.end('mass = 1\n');
  await new Promise((resolve) => log.on('end', resolve));
  expect(await kept.close()).toMatchObject({ code: 'ENOSPC' });
  expect(errors).toHaveLength(1);

  // A folder in the place of the log keeps it from being written.
  await mkdir(path.join(folder, 'stdout.log'));
  const rules = { reads: ['mass=stdout.log:/(1)/', 'sag=stdout.log:/(2)/'], copies: ['stdout.log'] };
  expect(await run('echo 1 2', rules)).toMatchObject({
    retryable: true,
    reason: expect.stringContaining('stdout.log is not complete: EISDIR'),
  });
  const other = await run('echo "[1, 2]"', { copies: ['stdout.log'] });
  expect(other).toEqual({ kind: 'output', output: [1, 2] });
});
