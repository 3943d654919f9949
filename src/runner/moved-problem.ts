/**
 * A problem whose file was renamed, moved or copied. Its state is kept by the name of the file, so it is recognised by what it is: the
 * same inputs, outputs and command.
 */
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pointsOf } from '../../clients/typescript/src/solve/conditions.ts';
import { withScales } from '../../clients/typescript/src/solve/defaults.ts';
import { ProblemFolder } from '../../clients/typescript/src/solve/folder.ts';
import { type BoxParts, Looker, OWN } from '../../clients/typescript/src/solve/looks.ts';
import { differencesOf } from '../../clients/typescript/src/solve/open-problem.ts';
import type { ProjectBody } from '../../clients/typescript/src/solve/plan.ts';
import { type BlackBox, namedFiles, type Surroundings } from './black-box/black-box.ts';
import type { CheckedProblem } from './check-problem.ts';
import { countRuns } from './display-lines.ts';
import type { Problem } from './problem.ts';
import { type FileRecord, RunFolder } from './run-folder.ts';

/** The file says nothing of where its runs are, and they are elsewhere. */
export class MovedProblemError extends Error {
  override readonly name = 'MovedProblemError';
}

/** Hash of the call of the black box; with another number of jobs or another limit it is still the same program. */
export function hashOfBlackBox({ blackBox, fits, sources }: Problem): string {
  const cheaper = sources.map((one) => [one.name, one.blackBox.identity]);
  return createHash('sha256')
    .update(JSON.stringify([...blackBox.identity, ...pointsOf(fits), ...cheaper]))
    .digest('hex');
}

/** Looks at the black box of a problem, its sources and the files that they read. */
export function lookerOf({ blackBox, fits, files, sources }: Problem, where: Surroundings): Looker {
  const partsOf = async (box: BlackBox): Promise<BoxParts> => ({
    texts: { 'how the black box is called': JSON.stringify([box.identity, pointsOf(fits)]) },
    files: [...(await box.files(where)), ...namedFiles(files, where)],
  });
  return new Looker(async () => {
    const parts = new Map([[OWN, await partsOf(blackBox)]]);
    for (const one of sources) parts.set(one.name, await partsOf(one.blackBox));
    return parts;
  });
}

export interface EarlierProblem {
  readonly folder: RunFolder;
  readonly record: FileRecord;
  readonly runs: number;
  /** Whether its file is still there, so that this one is a copy. */
  readonly isThere: boolean;
}

/** Problems begun under other names that are the same one: those in the folder of the file, else those around it. */
export async function findEarlier(
  folder: RunFolder,
  checked: CheckedProblem,
): Promise<{ readonly here: readonly EarlierProblem[]; readonly elsewhere: readonly EarlierProblem[] }> {
  const here = await sameProblemsIn(folder.home, checked);
  if (here.length > 0) return { here, elsewhere: [] };
  const found: EarlierProblem[] = [];
  for (const home of await homesAround(folder.home)) found.push(...(await sameProblemsIn(home, checked)));
  return { here, elsewhere: found.filter(({ isThere, runs }) => !isThere && runs > 0) };
}

/** Folders that are looked at, of each kind. */
const MOST_FOLDERS = 200;

/** The folder above, and those beside and below. */
async function homesAround(home: string): Promise<readonly string[]> {
  const above = path.dirname(home);
  const [beside, below] = [await foldersIn(above), await foldersIn(home)];
  return [above, ...beside, ...below].filter((one, i, all) => one !== home && all.indexOf(one) === i);
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  return names.slice(0, MOST_FOLDERS).map((name) => path.join(folder, name));
}

async function sameProblemsIn(home: string, checked: CheckedProblem): Promise<readonly EarlierProblem[]> {
  const names = await readdir(path.join(home, '.backsolve')).catch((): string[] => []);
  const found: EarlierProblem[] = [];
  for (const name of names) {
    const record = await readFileRecord(path.join(home, '.backsolve', name));
    if (record === undefined || !isSameProblem(record, checked)) continue;
    const folder = new RunFolder(path.join(home, record.file));
    if (folder.name !== name) continue;
    const isThere = await readFile(folder.file).then(
      () => true,
      () => false,
    );
    found.push({ folder, record, isThere, runs: await countFinished(folder.journal) });
  }
  return found;
}

/** A record that is unreadable, or of others, is no state of this problem. */
async function readFileRecord(folder: string): Promise<FileRecord | undefined> {
  try {
    const record = (await new ProblemFolder(folder).read()) as Partial<FileRecord> | undefined;
    return typeof record?.file === 'string' && record.project !== undefined ? (record as FileRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Records of earlier versions do not know their command. */
function isSameProblem({ project, code }: FileRecord, { bodies, problem }: CheckedProblem): boolean {
  const now = bodies.project as unknown as ProjectBody;
  return (
    differencesOf(project, withScales(now, project)).length === 0 && (code === null || code === hashOfBlackBox(problem))
  );
}

async function countFinished(journal: string): Promise<number> {
  const text = await readFile(journal, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith('{"kind":"finished"')).length;
}

/** Throws MovedProblemError for runs that are in another folder: only a person can say what to do with them. */
export function refuseElsewhere(folder: RunFolder, [first]: readonly EarlierProblem[]): void {
  if (first === undefined) return;
  const { file, home, path: state } = first.folder;
  const known = path.join(path.relative(folder.home, home), first.record.results.csv);
  throw new MovedProblemError(
    `The same problem was begun as ${file}, which is gone; its ${countRuns(first.runs)} are in ${state}. To go on with it, move the file back, or move the folder as a whole with its .backsolve. To begin here with its runs, state known: ${known}. To begin without them, start with --new.`,
  );
}

export function describeRenamed({ record, runs }: EarlierProblem): string {
  const { csv, json } = record.results;
  return `${record.file} is gone and was the same problem: this file goes on with its ${countRuns(runs)}, in ${csv} and ${json}. To begin without them, start with --new.`;
}

export function describeCopied({ record, runs }: EarlierProblem): string {
  return `${record.file} is the same problem and has ${countRuns(runs)}; this file begins without them. To use them, state known: ${record.results.csv}.`;
}
