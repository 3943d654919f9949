/** NAME.best.xlsx, beside the problem file: a copy of the black box with the input of the best run, where its kind makes copies. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../clients/typescript/src/solve/folder.ts';
import type { Surroundings } from './black-box/black-box.ts';
import type { Problem } from './problem.ts';
import { toNamedInput } from './problem-bodies.ts';
import type { RunFolder } from './run-folder.ts';
import type { SetStanding } from './standing.ts';

/** Returns a sentence about each target set that has a best run. It never replaces a file of the user. */
export async function writeBestCopies(
  { blackBox, inputs }: Problem,
  sets: readonly SetStanding[],
  folder: RunFolder,
  where: Surroundings,
): Promise<readonly string[]> {
  const { copy } = blackBox;
  if (copy === undefined) return [];
  const said: string[] = [];
  for (const [k, { best }] of sets.entries()) {
    if (best === null) continue;
    const name = `${folder.name}.best${sets.length > 1 ? `-${k + 1}` : ''}${copy.ending}`;
    const fault = await refuseForeign(folder, name);
    const complaint =
      fault ?? (await copy.write(toNamedInput(inputs, best.input), path.join(folder.home, name), where));
    said.push(complaint ?? `${name} has the input of ${best.name}.`);
  }
  return said;
}

/** A mark beside the journal says that a copy is not a file of the user. */
async function refuseForeign(folder: RunFolder, name: string): Promise<string | undefined> {
  const mark = path.join(folder.path, `${name}.mark`);
  if (await exists(mark)) return undefined;
  if (await exists(path.join(folder.home, name))) {
    return `${name} is there already and is not replaced: rename it to get a copy with the best input.`;
  }
  await writeFile(mark, '');
  return undefined;
}
