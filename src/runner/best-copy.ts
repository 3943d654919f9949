/** Files beside the problem file that get the best run, where the kind of the black box has such: NAME.best.xlsx, a copy of a workbook. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../clients/typescript/src/solve/folder.ts';
import type { Surroundings } from './black-box/black-box.ts';
import { byShownOutput, type Problem } from './problem.ts';
import { toNamedInput } from './problem-bodies.ts';
import type { RunFolder } from './run-folder.ts';
import type { SetStanding } from './standing.ts';

/** Returns a sentence about each copy of a target set that has a best run. It never replaces a file of the user. */
export async function writeBestCopies(
  problem: Problem,
  sets: readonly SetStanding[],
  folder: RunFolder,
  where: Surroundings,
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [k, { best }] of sets.entries()) {
    if (best === null) continue;
    const values = {
      run: best.name,
      input: toNamedInput(problem.inputs, best.input),
      output: byShownOutput(problem, best.output),
    };
    for (const copy of problem.blackBox.copies ?? []) {
      const names = copy.names(folder.name, sets.length > 1 ? `-${k + 1}` : '');
      const name = await takeName(folder, names);
      if (name === undefined) {
        said.push(`${names.at(-1)} is there already and is not replaced: rename it to get a copy with the best run.`);
        continue;
      }
      const complaint = await copy.write(values, path.join(folder.home, name), where);
      said.push(complaint ?? `${name} has ${copy.has} of ${best.name}.`);
    }
  }
  return said;
}

/** A mark beside the journal says that a copy is not a file of the user. */
async function takeName(folder: RunFolder, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const mark = path.join(folder.path, `${name}.mark`);
    if (await exists(mark)) return name;
    if (await exists(path.join(folder.home, name))) continue;
    await writeFile(mark, '');
    return name;
  }
  return undefined;
}
