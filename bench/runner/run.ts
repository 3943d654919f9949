/**
 * `backsolve run` is killed with SIGKILL at random moments and started again, over and over, on six problems: a model in Python, an
 * executable with file templates, a shell script, a noisy one, one that fails one run in five, and one that takes 2 s with four runs at
 * a time. Solved problems get another target, so that the search goes on. Each must be solved in the end, and no run whose result was
 * in the journal when a process died may be called again. Exit code 1 when that is broken.
 *
 *   npx node bench/runner/run.ts [--kills 20] [--only NAME] [--longest-ms 8000]
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findOwners } from '../../clients/typescript/src/solve/folder-lock.ts';
import { BLACK_BOXES, type BlackBox } from './black-boxes.ts';

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    only: { type: 'string' },
    'longest-ms': { type: 'string', default: '8000' },
  },
});
const kills = Number(options.kills);
const longestMs = Number(options['longest-ms']);
/** A kill meant for a running program comes at most this long after its start. */
const LATEST_MS = 200;
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

interface Row {
  readonly problem: string;
  readonly kills: number;
  readonly 'solved targets': number;
  readonly runs: number;
  readonly 'cut short': number;
  readonly repeated: number;
  readonly solved: boolean;
  readonly seconds: number;
}

async function play(box: BlackBox): Promise<Row> {
  const startedAt = performance.now();
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-kills-'));
  const file = path.join(folder, 'problem.yaml');
  for (const [name, text] of Object.entries(box.files)) {
    await writeFile(path.join(folder, name), text);
    if (!name.includes('.')) await chmod(path.join(folder, name), 0o755);
  }
  const begin = (round: number) => writeFile(file, box.problem(round).replaceAll('FOLDER', folder));
  let round = 0;
  await begin(round);
  let repeated = 0;
  let known: readonly string[] = [];
  let calls = 0;
  const look = async () => {
    const now = await linesOf(path.join(folder, 'calls.log'));
    repeated += now.slice(calls).filter((line) => known.includes(inputOf(line))).length;
    calls = now.length;
    known = await finishedInputs(folder);
  };
  const hasBegun = async () => (await linesOf(path.join(folder, 'calls.log'))).length > calls;
  /** Starts in a row that ran no program, because known runs met the target. */
  let idle = 0;
  for (let killed = 0; killed < kills; ) {
    const callsBefore = calls;
    // Two of three while a program runs, or just after; the others at any moment from the start on.
    const atProgram = killed % 3 !== 0 && idle < 3;
    const code = await runFor(
      file,
      Math.random() * (atProgram ? LATEST_MS : longestMs),
      atProgram ? hasBegun : undefined,
    );
    await look();
    idle = calls === callsBefore ? idle + 1 : 0;
    if (code === null) killed += 1;
    else if (code === 0) await begin(++round);
    else throw new Error(`${box.name}: exit code ${code}, see ${folder}`);
  }
  const last = await runFor(file, Number.POSITIVE_INFINITY);
  await look();
  const solved = last === 0;
  const row = {
    problem: box.name,
    kills,
    'solved targets': round + Number(solved),
    runs: known.length,
    'cut short': calls - known.length,
    repeated,
    solved,
    seconds: Math.round((performance.now() - startedAt) / 1000),
  };
  if (solved && repeated === 0) await removeWhenIdle(folder);
  return row;
}

/** The exit code; null when the process was killed first, after `ms`, counted from when `hasBegun` if that is given. */
async function runFor(file: string, ms: number, hasBegun?: () => Promise<boolean>): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, 'run', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  if (ms !== Number.POSITIVE_INFINITY) {
    const over = new AbortController();
    while (hasBegun !== undefined && child.exitCode === null && !(await hasBegun())) await sleep(5);
    await Promise.race([ended, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
    child.kill('SIGKILL');
  }
  return ended;
}

async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}

function inputOf(line: string): string {
  return JSON.stringify((JSON.parse(line) as { input: readonly number[] }).input);
}

/** Inputs whose result was on disk; a failure that is tried again is none. */
async function finishedInputs(folder: string): Promise<readonly string[]> {
  const journal = (await linesOf(path.join(folder, '.backsolve', 'problem', 'runs.jsonl'))).map(
    (line) => JSON.parse(line) as { kind: string; outcome?: { kind: string; retryable?: boolean } },
  );
  const finished = journal.filter(({ kind, outcome }) => kind === 'finished' && outcome?.retryable !== true);
  return finished.map((line) => inputOf(JSON.stringify(line)));
}

/** The service of the folder ends soon after its last user. */
async function removeWhenIdle(folder: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  const state = path.join(folder, '.backsolve');
  while (performance.now() < deadline && (await findOwners(state)).length > 0) await sleep(100);
  await rm(folder, { recursive: true, force: true });
}

const rows: Row[] = [];
for (const box of BLACK_BOXES.filter(({ name }) => options.only === undefined || options.only === name)) {
  rows.push(await play(box));
  console.log(JSON.stringify(rows.at(-1)));
}
console.table(rows);
if (rows.some((row) => row.repeated > 0 || !row.solved)) process.exitCode = 1;
