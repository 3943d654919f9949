/**
 * The record of finished plays: one JSON object per line, one file per solver and set, append-only. Solver, version,
 * problem, seed and the fingerprint of the problem identify a play, so a changed problem or optimizer is played again and
 * everything else is skipped.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../problems/problem.ts';
import type { SetName } from '../problems/sets.ts';

export interface Result {
  readonly solver: string;
  /** Version of the package; for our own solver the hash of src/optimizer. */
  readonly version: string;
  readonly problem: string;
  readonly fingerprint: string;
  readonly seed: number;
  /** Evaluations up to the first that satisfied everything, or all that were made. */
  readonly runs: number;
  readonly solved: boolean;
  /** Wall time in the optimizer for our own solver, processor time of the play for peers. */
  readonly seconds: number;
  readonly end: string;
  readonly commit: string;
}

const root = new URL('../../', import.meta.url).pathname;

/** Path of the folder with the plays and tables of a set. */
export function resultsFolder(set: SetName): string {
  return new URL(set === 'collection' ? './results/' : `./results/${set}/`, import.meta.url).pathname;
}

export function readResults(set: SetName): Result[] {
  const folder = resultsFolder(set);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Result),
  );
}

export function appendResult(set: SetName, result: Result): void {
  const folder = resultsFolder(set);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${result.solver}.jsonl`), `${JSON.stringify(result)}\n`);
}

export function playKey(play: Pick<Result, 'solver' | 'version' | 'problem' | 'fingerprint' | 'seed'>): string {
  return [play.solver, play.version, play.problem, play.fingerprint, play.seed].join(' ');
}

/** Changes when the statement of the problem changes, or its outputs at the start or at the known point. */
export function fingerprint(problem: Problem): string {
  const run = { seed: 0, index: 0 };
  const outputs = [problem.start, problem.known].map((x) => problem.evaluate(x, run)?.map((y) => y.toPrecision(10)));
  const { variables, objectives, desiredL1Norm, convergence, start, budget } = problem;
  return hash(JSON.stringify({ variables, objectives, desiredL1Norm, convergence, start, budget, outputs }));
}

/** Hash of everything below src/optimizer: the version of our own solver, commits or not. */
export function optimizerVersion(): string {
  const optimizer = join(root, 'src/optimizer');
  const files = readdirSync(optimizer, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return hash(
    files
      .sort()
      .map((name) => `${name}\n${readFileSync(join(optimizer, name), 'utf8')}`)
      .join('\n'),
  );
}

/** Abbreviated commit of the tree, with + when the optimizer has uncommitted changes. */
export function currentCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', 'src/optimizer') === '' ? '' : '+');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
