/** A folder for tests of `backsolve run`, with a black box that notes every call. */
import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { JournalLine } from '../../clients/typescript/src/evaluator/journal.ts';
import { findOwners } from '../../clients/typescript/src/solve/folder-lock.ts';
import type { CommandProcess } from './run-command.ts';

/** Notes each call, takes its time, and notes what it has computed. After so many calls it fails, until it is mended. */
export const BLACK_BOX = `
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

export interface RunFolder {
  /** A path in the folder. */
  at(...names: readonly string[]): string;
  /** Writes the problem file NAME.yaml, with a journal and a log of calls (NAME.log) of its own. Returns its path. */
  write(name: string, problem?: Problem): Promise<string>;
  /** Returns the lines of a file, none if there is no such file. */
  lines(name: string): Promise<readonly string[]>;
  exists(name: string): Promise<boolean>;
  /** Returns the inputs of the finished runs of NAME.yaml, as JSON. */
  finishedInputs(name: string): Promise<readonly string[]>;
  /** Returns the names of the runs in NAME.json. */
  namesOf(name: string): Promise<readonly string[]>;
  /** Waits until so many runs of NAME.yaml are finished, or the command has ended. */
  untilFinished(name: string, count: number, command: CommandProcess): Promise<void>;
}

/** Makes the folder before the tests of a file, which share its service, and removes it after them. */
export function useRunFolder(): RunFolder {
  let home: string;
  let folder: string;
  const at = (...names: readonly string[]) => path.join(folder, ...names);

  beforeAll(async () => {
    // Below a folder of its own: `run` looks for the same problem in folders beside it, where a killed test may have left one.
    home = await mkdtemp(path.join(tmpdir(), 'backsolve-run-'));
    folder = path.join(home, 'problems');
    await mkdir(folder);
    await writeFile(at('box.mjs'), BLACK_BOX);
  });
  afterAll(async () => {
    await endService(at('.backsolve'));
    await rm(home, { recursive: true, force: true });
  });

  const finishedInputs = async (name: string) => {
    const text = await readFile(at('.backsolve', name, 'runs.jsonl'), 'utf8').catch(() => '');
    // The last line may be torn.
    const journal = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as JournalLine);
    return journal.flatMap((line) => (line.kind === 'finished' ? [JSON.stringify(line.input)] : []));
  };

  return {
    at,
    finishedInputs,
    write: async (name, problem) => {
      await writeFile(at(`${name}.yaml`), textOf(name, problem));
      return at(`${name}.yaml`);
    },
    lines: async (name) => (await readFile(at(name), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    exists: (name) =>
      access(at(name)).then(
        () => true,
        () => false,
      ),
    namesOf: async (name) => {
      const { runs } = JSON.parse(await readFile(at(`${name}.json`), 'utf8'));
      return runs.map((run: { name: string }) => run.name);
    },
    untilFinished: async (name, count, command) => {
      let isOver = false;
      void command.ended.then(() => (isOver = true));
      while (!isOver && (await finishedInputs(name)).length < count) await sleep(10);
    },
  };
}

function textOf(name: string, { ms = 0, wholeCalls, target = 4, maximum = 5, more = '' }: Problem = {}): string {
  const command = [
    process.execPath,
    'box.mjs',
    `${name}.log`,
    String(ms),
    ...(wholeCalls === undefined ? [] : [String(wholeCalls)]),
  ];
  return `name: Two inputs
inputs:
  a: {minimum: 0, maximum: ${maximum}, unit: mm}
  b: {minimum: 0, maximum: 5}
outputs:
  p: {target: ${target}, within: 1%, unit: kg}
  q: {target: 8, within: 0.01}
command: ${JSON.stringify(command)}
${more}`;
}

/** Ends the service of a folder, if there is one, which would wait some seconds for a next user. Returns once it is gone. */
export async function endService(home: string): Promise<void> {
  if (!existsSync(home)) return;
  for (const { pid } of await findOwners(home)) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch (error) {
      // It has ended by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  while ((await findOwners(home)).length > 0) await sleep(20);
}
