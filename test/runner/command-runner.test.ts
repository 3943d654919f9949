/** Real programs: what they print, how they end, and what is left of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { type CommandOptions, makeCommandRunner } from '../../src/runner/programs/command-runner.ts';
import { EVALUATION } from './evaluation-fixture.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-command-'));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function makeRunner(command: readonly string[], options: Partial<CommandOptions> = {}) {
  const notes: string[] = [];
  const runner = await makeCommandRunner({
    command,
    startFolder: folder,
    workFolder: 'work',
    environment: { PATH: process.env['PATH'], KEPT: 'from outside' },
    graceSeconds: 0.3,
    onNote: (text) => notes.push(text),
    ...options,
  });
  onTestFinished(() => runner.close());
  const run = (change: Partial<Evaluation> = {}, signal = new AbortController().signal) =>
    runner.evaluate({ ...EVALUATION, ...change }, signal);
  return { ...runner, run, notes };
}

/** Runs `script` in a shell as the black box. */
const shell = async (script: string, options: Partial<CommandOptions> = {}) => {
  const { run } = await makeRunner(['sh', '-c', script], options);
  return run();
};

const work = (...names: string[]) => path.join(folder, 'work', ...names);
const isThere = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a program gets its inputs on standard input, in arguments and in the environment', async () => {
  const program = `
    let text = '';
    for await (const chunk of process.stdin) text += chunk;
    const { input, inputByName, outputNames, leaseToken } = JSON.parse(text);
    const [, , length, steel] = process.argv;
    const { BACKSOLVE_INPUT_LENGTH, BACKSOLVE_INPUT_STEEL, BACKSOLVE_TRY, KEPT } = process.env;
    console.log('some text before');
    console.error(JSON.stringify({ input, inputByName, outputNames, leaseToken, length, steel, KEPT, cwd: process.cwd(),
      BACKSOLVE_INPUT_LENGTH, BACKSOLVE_INPUT_STEEL, BACKSOLVE_TRY }));
    console.log(JSON.stringify({ mass: input[0] * 2, sag: -1 }));
    console.log();`;
  await writeFile(path.join(folder, 'box.mjs'), program);
  const { run } = await makeRunner([process.execPath, 'box.mjs', '{length:.3f}', '--{steel}'], { keep: 'all' });
  expect(await run()).toEqual({ kind: 'output', output: [7, -1] });
  expect(JSON.parse(await readFile(work('91-try1', 'stderr.log'), 'utf8'))).toEqual({
    input: [3.5, 1],
    inputByName: { length: 3.5, steel: 'S355' },
    outputNames: ['mass', 'sag'],
    length: '3.500',
    steel: '--S355',
    KEPT: 'from outside',
    cwd: folder,
    BACKSOLVE_INPUT_LENGTH: '3.5',
    BACKSOLVE_INPUT_STEEL: 'S355',
    BACKSOLVE_TRY: '1',
  });
  expect(JSON.parse(await readFile(work('91-try1', 'outcome.json'), 'utf8'))).toMatchObject({ output: [7, -1] });
});

test.each([
  ['cat', 'cat /dev/stdin > evaluation.copy; echo "[1, 2]"'],
  ['a second reader', 'head -c 10 /dev/stdin > /dev/null; cat /dev/stdin > evaluation.copy; echo "[1, 2]"'],
  ['python3', `python3 -c "open('evaluation.copy', 'w').write(open('/dev/stdin').read())"; echo "[1, 2]"`],
])('a program can open /dev/stdin: %s', async (_, script) => {
  expect(await shell(script, { keep: 'all', withToken: true })).toEqual({ kind: 'output', output: [1, 2] });
  expect(JSON.parse(await readFile(path.join(folder, 'evaluation.copy'), 'utf8'))).toMatchObject({
    inputByName: { length: 3.5, steel: 'S355' },
    leaseToken: EVALUATION.leaseToken,
  });
  // The token is nowhere else.
  const left = await readdir(work('91-try1'));
  expect(left.sort()).toEqual(['evaluation.json', 'outcome.json', 'stderr.log', 'stdout.log']);
});

test.each([
  ['echo "[1, 2]"; exit 75', 'retry', 'exit code 75'],
  ['echo no licence >&2; exit 75', 'retry', 'exit code 75: no licence'],
  ['kill -SEGV $$', 'retry', 'signal SIGSEGV ended it'],
  ["sh -c 'kill -KILL $$'; exit $?", 'retry', 'exit code 137'],
  ['true', 'retry', 'the command printed nothing on standard output'],
  ['echo "[1, 2"', 'retry', 'the last line of standard output is not JSON: "[1, 2"'],
  ['echo "[1, 2, 3]"', 'retry', 'there are 2 outputs'],
  ['echo "[1, 2]"; echo the mesh broke >&2; exit 1', 'failed', 'exit code 1: the mesh broke'],
  ['echo it diverged; exit 1', 'failed', 'exit code 1: it diverged'],
  [
    'printf "1\\nerror: mesh undefined\\nerror: called from\\n    model at line 3\\n    solve at line 9\\n" >&2; exit 1',
    'failed',
    'exit code 1: error: mesh undefined | error: called from | model at line 3',
  ],
  [
    'printf "Error: a bug\\n    at box.mjs:6:9\\n\\nNode.js v24.0.0\\n" >&2; exit 1',
    'failed',
    'exit code 1: Error: a bug | at box.mjs:6:9 | Node.js v24.0.0',
  ],
  [
    'printf "Traceback:\\n  line 1\\nValueError: too thin\\n" >&2',
    'retry',
    'the command printed nothing on standard output; it printed: ValueError: too thin',
  ],
  ['printf "\\033[31mred\\000\\tend" >&2; exit 1', 'failed', 'exit code 1: [31mred end'],
  ['echo fail no convergence', 'failed', 'no convergence'],
  ['echo fail no convergence; exit 9', 'failed', 'no convergence'],
  ['echo "[1, NaN]"', 'failed', 'not finite'],
])('%j', async (script, kind, reason) => {
  const outcome = await shell(script);
  expect(outcome).toEqual({ kind: 'failure', reason: expect.stringContaining(reason), retryable: kind === 'retry' });
});

test('exit codes can be given another meaning', async () => {
  const onExit = '1=output,3=retry,4=abort';
  expect(await shell('echo "[1, 2]"; exit 1', { onExit })).toMatchObject({ kind: 'output' });
  expect(await shell('exit 3', { onExit })).toMatchObject({ retryable: true });
  expect(await shell('echo no licence >&2; exit 4', { onExit })).toEqual({
    kind: 'abort',
    reason: 'exit code 4: no licence',
  });
});

test('what runs other programs and cannot do so is a fault of this machine and not of the input, unless it is said otherwise', async () => {
  await expect(shell('timeout no-duration true')).rejects.toMatchObject({
    name: 'LocalFault',
    message: expect.stringMatching(/^The command could not be run here: exit code 125: timeout: invalid time interval/),
  });
  await expect(shell('exit 3', { onExit: '3=fault' })).rejects.toMatchObject({ name: 'LocalFault' });
  expect(await shell('exit 125', { onExit: '125=fail' })).toMatchObject({ kind: 'failure', retryable: false });
});

test('--shell runs one text, with the inputs in the environment and never in the text', async () => {
  const { run } = await makeRunner(['echo "$BACKSOLVE_INPUT_STEEL" {length} >&2; echo "[1, 2]" | cat'], {
    shell: true,
    keep: 'all',
  });
  expect(await run({ inputByName: { length: 1, steel: '$(touch hacked)"' } })).toMatchObject({ kind: 'output' });
  expect(await readFile(work('91-try1', 'stderr.log'), 'utf8')).toBe('$(touch hacked)" {length}\n');
  expect(await readdir(folder)).toEqual(['work']);
});

test('a program that ignores SIGTERM is killed with everything it has started, and the run has failed', async () => {
  const script = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > inner; while :; do sleep 1; done' & echo $$ > outer; wait`;
  const outcome = await shell(script, { timeoutSeconds: 0.5 });
  expect(outcome).toEqual({ kind: 'failure', reason: 'it ran longer than 0.5 s and was ended', retryable: false });
  for (const name of ['outer', 'inner']) {
    const pid = Number(await readFile(path.join(folder, name), 'utf8'));
    await vi.waitUntil(() => !isRunning(pid), 5_000);
  }
});

test('what a program leaves running is ended before its output counts', async () => {
  expect(await shell(`sleep 1000 & echo $! > left; echo '[1, 2]'`)).toMatchObject({ kind: 'output' });
  const pid = Number(await readFile(path.join(folder, 'left'), 'utf8'));
  await vi.waitUntil(() => !isRunning(pid), 5_000);
});

test('a program whose output is no longer needed is ended', async () => {
  const { run } = await makeRunner(['sh', '-c', 'echo $$ > pid; exec sleep 1000']);
  const cancel = new AbortController();
  const running = run({}, cancel.signal);
  const file = path.join(folder, 'pid');
  await vi.waitUntil(async () => (await isThere(file)) && (await readFile(file, 'utf8')) !== '');
  const pid = Number(await readFile(file, 'utf8'));
  cancel.abort('unwanted');
  expect(await running).toMatchObject({ kind: 'failure', retryable: true });
  expect(isRunning(pid)).toBe(false);
});

test('a flood on both streams costs neither memory nor disk, and the last line is still read', async () => {
  const flood = 'head -c 40000000 /dev/zero | tr "\\0" "x"';
  const before = process.memoryUsage().rss;
  expect(await shell(`${flood} >&2 & ${flood}; wait; echo; echo "[1, 2]"`, { keep: 'all' })).toMatchObject({
    kind: 'output',
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  for (const name of ['stdout.log', 'stderr.log']) {
    expect((await stat(work('91-try1', name))).size).toBeLessThan(11e6);
  }
  const log = await readFile(work('91-try1', 'stdout.log'), 'utf8');
  expect(log).toMatch(/x\n\[\d+ bytes are left out here\]\nx+\n\[1, 2\]\n$/);
  expect(await shell(flood)).toMatchObject({ reason: 'the last line of standard output is too long', retryable: true });
});

test('templates are filled, copies are made, and outputs are read from files of its own folder', async () => {
  await writeFile(path.join(folder, 'in.tmpl'), Buffer.from('L = {{length:.6e}}\nS = {{steel}} \xff\n', 'latin1'));
  await writeFile(
    path.join(folder, 'solve.sh'),
    '#!/bin/sh\ncat in/beam.dat mesh/m > out.txt; echo "mass = 4" >> out.txt',
  );
  await chmod(path.join(folder, 'solve.sh'), 0o755);
  await mkdir(path.join(folder, 'mesh'));
  await writeFile(path.join(folder, 'mesh', 'm'), 'mesh\n');
  const { run } = await makeRunner(['./solve.sh'], {
    templates: ['in.tmpl:in/beam.dat'],
    copies: ['mesh'],
    reads: ['mass=out.txt:/mass = (\\S+)/', 'sag=out.txt:/L = (\\S+)/'],
    keep: 'all',
  });
  const outcomes = await Promise.all([run(), run(), run({ id: 92, inputByName: { length: 1e-9, steel: 'Ö' } })]);
  expect(outcomes.map((outcome) => outcome.kind === 'output' && outcome.output)).toEqual([
    [4, 3.5],
    [4, 3.5],
    [4, 1e-9],
  ]);
  expect((await readdir(work())).sort()).toEqual(['91-try1', '91-try1-2', '92-try1']);
  const filled = await readFile(work('92-try1', 'in', 'beam.dat'));
  expect(filled).toEqual(Buffer.concat([Buffer.from('L = 1.000000e-09\nS = Ö '), Buffer.from([0xff, 0x0a])]));
});

test('--keep says which folders stay', async () => {
  const after = async (keep: CommandOptions['keep'], script: string) => {
    await shell(script, { keep });
    const names = await readdir(work());
    await rm(work(), { recursive: true });
    return names;
  };
  const [good, bad] = ['echo "[1, 2]"', 'exit 1'];
  expect(await after('failed', good)).toEqual([]);
  expect(await after('failed', bad)).toEqual(['91-try1']);
  expect(await after('none', bad)).toEqual([]);
  expect(await after('all', good)).toEqual(['91-try1']);
});

test('a name that does not exist is a fault of this machine, found before anything runs', async () => {
  await writeFile(path.join(folder, 'in.tmpl'), '{{lenght}}');
  const { run } = await makeRunner(['sh', '-c', 'touch ran'], { templates: ['in.tmpl:in.dat'], keep: 'all' });
  await expect(run()).rejects.toThrow('in.tmpl: there is no input "lenght"; the inputs are length, steel.');
  const reading = await makeRunner(['sh', '-c', 'touch ran'], { reads: ['mass=out.txt'], keep: 'all' });
  await expect(reading.run()).rejects.toThrow('No --read says where to find the output sag');
  expect(await readdir(work())).toEqual([]);
});

test.each<[readonly string[], Partial<CommandOptions>, string]>([
  [['no-such-program'], {}, 'The command no-such-program is in no folder of PATH'],
  [['./missing'], {}, 'is not there or may not be executed'],
  [['a', 'b'], { shell: true }, '--shell takes one text'],
  [[], {}, 'Which command?'],
  [['sh'], { templates: ['in.tmpl'] }, 'write IN:OUT'],
  [['sh'], { templates: ['none.tmpl:x'] }, 'ENOENT'],
  [['sh'], { templates: ['in.tmpl:../x'] }, 'must lie in the work folder'],
  [['sh'], { templates: ['/dev/zero:x'] }, 'is a device or a pipe'],
  [['sh'], { copies: ['nothing'] }, 'there is no such file'],
  [['sh'], { copies: ['/dev/zero'] }, 'is a device or a pipe'],
  [['sh'], { workFolder: '/proc/none' }, 'The work folder /proc/none cannot be used'],
  [['sh'], { onExit: '3=what' }, '--on-exit'],
])('%j with %j is refused at the start', async (command, options, complaint) => {
  await expect(makeRunner(command, options)).rejects.toThrow(complaint);
});

test('a work folder that vanishes or is not writable is a fault of this machine, and so is a program that is gone', async () => {
  const { run } = await makeRunner(['sh', '-c', 'echo "[1, 2]"']);
  await rm(work(), { recursive: true });
  await expect(run()).rejects.toMatchObject({ name: 'LocalFault', message: expect.stringContaining('cannot be made') });
  await expect(shell('no-such-program-in-the-script')).rejects.toMatchObject({ name: 'LocalFault' });
});

test('a log that cannot be written costs no result', async () => {
  await writeFile(path.join(folder, 'in.tmpl'), '{{length}}');
  const { run, notes } = await makeRunner(['sh', '-c', 'echo "[1, 2]"'], { templates: ['in.tmpl:stdout.log/in.dat'] });
  expect(await run()).toMatchObject({ kind: 'output' });
  expect(notes).toEqual([expect.stringContaining('EISDIR')]);
});

test('when the evaluator is killed, its programs are ended soon', async () => {
  const file = path.join(folder, 'evaluator.ts');
  const source = new URL('../../src/runner/programs/command-runner.ts', import.meta.url).pathname;
  const script = 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done';
  await writeFile(
    file,
    `import { makeCommandRunner } from ${JSON.stringify(source)};
     const { evaluate } = await makeCommandRunner({ command: ['sh', '-c', ${JSON.stringify(script)}],
       startFolder: ${JSON.stringify(folder)}, workFolder: 'work', graceSeconds: 1, environment: process.env });
     await evaluate(${JSON.stringify(EVALUATION)}, new AbortController().signal);`,
  );
  const evaluator = spawn(process.execPath, [file], { stdio: 'inherit' });
  onTestFinished(() => void evaluator.kill('SIGKILL'));
  const pidFile = path.join(folder, 'pid');
  await vi.waitUntil(async () => (await isThere(pidFile)) && (await readFile(pidFile, 'utf8')) !== '', 10_000);
  const pid = Number(await readFile(pidFile, 'utf8'));
  expect(isRunning(pid)).toBe(true);
  evaluator.kill('SIGKILL');
  await once(evaluator, 'exit');
  await vi.waitUntil(() => !isRunning(pid), 10_000);
});

test('outputs can be read in what the program printed', async () => {
  const script = 'echo "mass = 3"; echo "sag = 4"; echo "mass = 5"; echo done';
  const reads = ['mass=stdout.log:/mass = (\\S+)/', 'sag=stdout.log:/sag = (\\S+)/'];
  expect(await shell(script, { reads })).toEqual({ kind: 'output', output: [5, 4] });
});
