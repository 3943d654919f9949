/** Real programs that fail: what the run is then, and what its reason quotes. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type CommandOptions, makeCommandRunner } from '../../src/runner/programs/command-runner.ts';
import { EVALUATION } from './evaluation-fixture.ts';

const recorded = path.join(import.meta.dirname, 'exits');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-exits-'));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function run(command: readonly string[], options: Partial<CommandOptions> = {}, outputs = ['mass']) {
  const runner = await makeCommandRunner({
    command,
    startFolder: folder,
    workFolder: 'work',
    environment: { PATH: process.env['PATH'], HOME: folder, OMP_NUM_THREADS: '1' },
    ...options,
  });
  onTestFinished(() => runner.close());
  return runner.evaluate(
    { ...EVALUATION, outputNames: outputs, outputCount: outputs.length },
    new AbortController().signal,
  );
}

/** Prints what a program printed, and ends as it did. */
function replay(code: number, out?: string, error?: string): readonly string[] {
  const show = (name: string | undefined) => (name === undefined ? 'true' : `cat '${path.join(recorded, name)}'`);
  return ['sh', '-c', `${show(out)}; ${show(error)} >&2; exit ${code}`];
}

const MASS = { reads: ['mass=stdout.log:/^mass = (\\S+)/'] };
const PEAK = { reads: ['mass=stdout.log:/^peak\\s+= +(\\S+)/'] };
const DIVISION = 'expt: undefined: 0 to a negative exponent.';

test.each([
  [replay(0, 'maxima-division.txt'), MASS, true, `nothing was found; it printed: ${DIVISION}`],
  [replay(0, 'maxima-syntax.txt'), MASS, true, 'it printed: incorrect syntax: Missing ) | mass:Space1/(k-0.4$'],
  [
    replay(0, 'ccx-no-deck.txt'),
    { reads: ['mass=arm.dat:/(\\S+)/'] },
    true,
    '*ERROR in readinput: cannot open file arm.inp',
  ],
  [replay(201, 'ccx-thickness.txt'), {}, false, 'exit code 201: *ERROR in gen3delem: first thickness | in node'],
  [
    replay(1, undefined, 'octave-called-from.txt'),
    {},
    false,
    'exit code 1: error: the mesh is inverted at 3 | error: called from',
  ],
  [
    replay(1, undefined, 'octave-lines.txt'),
    {},
    false,
    'exit code 1: error: the mesh is inverted | in cell 12 | of 30',
  ],
])('%j quotes what explains it, wherever it stands', async (command, options, retryable, reason) => {
  expect(await run(command, options)).toEqual({ kind: 'failure', retryable, reason: expect.stringContaining(reason) });
});

test.each([
  [
    replay(0, 'maxima-division.txt'),
    { ...MASS, failsIf: ['stdout.log:/^ -- an error\\./'] },
    `stdout.log: ${DIVISION} | -- an error.`,
  ],
  [
    replay(0, 'maxima-syntax.txt'),
    { ...MASS, failsIf: ['stdout.log:/incorrect syntax/'] },
    'incorrect syntax: Missing )',
  ],
  [replay(0, 'ccx-no-deck.txt'), { failsIf: ['stdout.log:/^ \\*ERROR/'] }, 'stdout.log: You are using an executable'],
  [
    replay(0, 'ngspice-aborted.txt', 'ngspice-aborted-stderr.txt'),
    { ...PEAK, failsIf: ['stderr.log:/aborted/'] },
    'stderr.log: doAnalyses: TRAN: Timestep too small; time = 1.0001e-06, timestep = 1.25e-20: trouble with node "out" | tran simulation(s) aborted',
  ],
  [
    replay(0, 'ngspice-aborted.txt', 'ngspice-aborted-stderr.txt'),
    { ...PEAK, succeedsIf: ['stdout.log:/^No\\. of Data Rows/'] },
    'stdout.log:/^No\\. of Data Rows/: nothing was found',
  ],
])('%j is one failed run by its sign', async (command, options, reason) => {
  expect(await run(command, options)).toEqual({
    kind: 'failure',
    retryable: false,
    reason: expect.stringContaining(reason),
  });
});

test('without a sign, what ngspice measures after a transient that it aborted is an output', async () => {
  const command = replay(0, 'ngspice-aborted.txt', 'ngspice-aborted-stderr.txt');
  expect(await run(command, PEAK)).toEqual({ kind: 'output', output: [101] });
});

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

const CIRCUIT = `* a transient that does not converge
V1 in 0 dc 0 pulse(0 5 1u 1n 1n 10u 20u)
B1 out 0 v = exp(v(in)*v(out)*200)
R1 in out 1
C1 out 0 1n
.control
tran 10n 20u
STATUS
meas tran peak max v(out)
quit
.endc
.end
`;

test.skipIf(!has('ngspice'))('ngspice ends with 1 by $sim_status, and its abortion is a sign', async () => {
  const command = ['ngspice', '-b', 'c.cir'];
  const circuit = (status: string) => writeFile(path.join(folder, 'c.cir'), CIRCUIT.replace('STATUS\n', status));
  const copies = { ...PEAK, copies: ['c.cir'] };
  await circuit('');
  expect(await run(command, copies)).toMatchObject({ kind: 'output' });
  const signed = await run(command, { ...copies, failsIf: ['stderr.log:/aborted/'] });
  expect(signed).toMatchObject({ retryable: false, reason: expect.stringContaining('Timestep too small') });
  await circuit('if $sim_status\n  quit 1\nend\n');
  expect(await run(command, copies)).toMatchObject({
    retryable: false,
    reason: expect.stringMatching(/^exit code 1: .*simulation\(s\) aborted/),
  });
});

test.skipIf(!has('maxima'))('Maxima ends with 0 after an error, which is a sign', async () => {
  const program = (k: number) =>
    writeFile(path.join(folder, 'box.mac'), `k: 0.5$\nprintf: 0$\nprint("mass =", 1/(k-${k}))$\n`);
  const options = {
    reads: ['mass=stdout.log:/^mass = (-? ?\\d\\S*)/'],
    copies: ['box.mac'],
    failsIf: ['stdout.log:/^ -- an error\\.|^incorrect syntax|encountered a Lisp error/'],
  };
  const command = ['maxima', '--very-quiet', '--batch', 'box.mac'];
  await program(0.5);
  expect(await run(command, options)).toMatchObject({ retryable: false, reason: expect.stringContaining(DIVISION) });
  await program(0);
  expect(await run(command, options)).toEqual({ kind: 'output', output: [2] });
});

test.skipIf(!has('ccx'))('CalculiX ends with 0 without a deck, which is a sign', async () => {
  const outcome = await run(['ccx', 'arm'], { failsIf: ['stdout.log:/^ \\*ERROR/'] });
  expect(outcome).toMatchObject({ retryable: false, reason: expect.stringContaining('cannot open file arm.inp') });
});

test.skipIf(!has('octave-cli'))('the reason of Octave is its message', async () => {
  const script = '1;\nfunction f(), error("the mesh is inverted\\nin cell 12"); end\nf()\n';
  await writeFile(path.join(folder, 'box.m'), script);
  expect(await run(['octave-cli', '--quiet', 'box.m'])).toMatchObject({
    retryable: false,
    reason: expect.stringContaining('exit code 1: error: the mesh is inverted | in cell 12'),
  });
});
