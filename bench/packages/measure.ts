/**
 * Measures the packages as a user meets them: `npm run package && npx node bench/packages/measure.ts`. Installs the wheels from `dist`
 * into an empty virtual environment on a PATH without Node, with what the registry has to be asked for, and prints a table.
 *
 *   --no-cache   downloads everything, even what pip has downloaded before
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { 'no-cache': { type: 'boolean' } } });
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const REPEATS = 7;
/** As in the README. The time until its first run is printed first. */
const PROGRAM = `
import time
begun = time.monotonic()
from backsolve import solve, within
seen = []
def beam(width, height):
    seen.append(time.monotonic() - begun)
    return {"mass": 7.85 * width * height, "sag": 240 / (width * height**3)}
result = solve(beam, inputs={"width": (1, 10), "height": (1, 10)}, goals={"mass": within(50, percent=1), "sag": within(2, percent=2)}, fresh=True)
assert "meets every target" in str(result)
print(round(seen[0], 2))
`;

const folder = mkdtempSync(path.join(tmpdir(), 'backsolve-measured-'));
try {
  measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(): void {
  const empty = path.join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(path.join(folder, 'program.py'), PROGRAM);
  const python = path.join(folder, 'venv/bin/python');
  const begun = performance.now();
  run('python3', ['-m', 'venv', path.join(folder, 'venv')]);
  const cache = values['no-cache'] === true ? ['--no-cache-dir'] : [];
  run(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...cache,
    '--find-links',
    DIST,
    'backsolve[local]',
  ]);
  const installed = seconds(performance.now() - begun);
  const env = { PATH: empty, HOME: folder };
  const first = run(python, ['program.py'], env);
  const solved = seconds(performance.now() - begun);
  row(
    `venv, installation${values['no-cache'] === true ? ' with all downloads' : ' (downloads of earlier ones)'}`,
    `${installed} s`,
  );
  row('the same until the problem is solved (bar 60 s)', `${solved} s`);
  row('solve with a new database, until its first run', `${first} s`);
  row('a second solve, its service still running, until its first run', `${run(python, ['program.py'], env)} s`);
  // The service of a folder ends some seconds after its last user.
  untilEnded(path.join(folder, '.backsolve'));
  row('a second solve, its service ended, until its first run (bar 3 s)', `${run(python, ['program.py'], env)} s`);
  untilEnded(path.join(folder, '.backsolve'));
  const command = path.join(folder, 'venv/bin/backsolve');
  for (const [args, what] of [
    [['--version'], '`backsolve --version` (bar 0.15 s)'],
    [
      ['evaluate', '--url', 'http://127.0.0.1:9', '--key', 'none', '--', 'true'],
      '`backsolve evaluate` until it refuses a key (bar 0.2 s)',
    ],
  ] as const) {
    row(`${what}, processor time, from Python`, `${processorTime(command, args, env)} s`);
  }
  for (const name of readdirSync(DIST).filter((one) => /\.(whl|tgz)$/.test(one))) {
    row(`\`${name}\``, `${(statSync(path.join(DIST, name)).size / 1e6).toFixed(2)} MB`);
  }
}

function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = process.env as never,
): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}

function untilEnded(service: string): void {
  const isUp = () => readdirSync(service).some((name) => name.startsWith('lock.'));
  while (isUp()) spawnSync('sleep', ['0.2']);
}

/** The least of several, with children. */
function processorTime(program: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  const script = `
import resource, subprocess, sys
times = []
for _ in range(${REPEATS}):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(sys.argv[1:], capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
print(round(min(times), 3))`;
  return run(path.join(folder, 'venv/bin/python'), ['-c', script, program, ...args], env);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}

function row(what: string, value: string): void {
  console.log(`| ${what} | ${value} |`);
}
