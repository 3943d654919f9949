/** New problem files from those of other programs, for `init --from`. */
import path from 'node:path';
import type { NewText } from './files/new-problem-file.ts';
import { readRegularFile } from './files/read-file.ts';
import { parseYaml } from './files/yaml-values.ts';
import { findModelFiles, isOfPest } from './model-files.ts';
import { loadCase } from './pest/case.ts';
import { PestFileError } from './pest/pest-error.ts';
import { formatPestProblem } from './pest/problem-text.ts';
import { isPetab, loadPetab } from './petab/load-petab.ts';
import { PetabError } from './petab/petab-error.ts';
import { formatPetabProblem } from './petab/problem-text.ts';

/** Thrown for content that cannot become a problem file; the message says why and what to do. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

interface ToImport {
  /** The program, where the user names one. */
  readonly command: readonly string[] | undefined;
  /** As the user named it. */
  readonly from: string;
  /** The problem file that is to be written; relative paths in it start at its folder. */
  readonly file: string;
}

/** Throws ImportError. */
export async function importProblem(given: ToImport): Promise<NewText> {
  const { from } = given;
  const bytes = await readRegularFile(from).catch((error: NodeJS.ErrnoException) => {
    throw new ImportError(`${from}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`);
  });
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  try {
    if (/^(\s*#.*\n|\s)*pcf\b/i.test(text)) return await importPest(given);
    if (isPetab(text)) return await importPetab(given);
  } catch (error) {
    throw error instanceof PestFileError || error instanceof PetabError ? new ImportError(error.message) : error;
  }
  if (isProblemFile(text)) {
    throw new ImportError(`${from} is a problem file of Backsolve already: backsolve run ${from}`);
  }
  throw new ImportError(
    `${from} is neither a control file of PEST, which begins with pcf, nor a PEtab problem, which has a format_version.`,
  );
}

/** The name of the new file, where the user names none; not that of the YAML file of a PEtab problem. */
export function nameOfImport(from: string): string {
  const { name, ext } = path.parse(from);
  return /^\.ya?ml$/i.test(ext) ? `${name}.fit.yaml` : `${name}.yaml`;
}

function isProblemFile(text: string): boolean {
  const { value } = parseYaml(text);
  return value?.kind === 'map' && value.entries.has('inputs') && value.entries.has('outputs');
}

/** The file as the problem file names it, and the folders of both. */
function placesOf({ from, file }: ToImport) {
  const home = path.dirname(path.resolve(file));
  const relative = path.relative(home, path.resolve(from)).split(path.sep).join('/');
  const copiesOf = (names: readonly string[]) =>
    names.map((name) => path.posix.join(path.posix.dirname(relative), name));
  return { home, relative, folder: path.dirname(path.resolve(from)), copiesOf };
}

async function importPest(given: ToImport): Promise<NewText> {
  const { home, relative, folder, copiesOf } = placesOf(given);
  const pestCase = await loadCase(relative, home);
  const made = [
    ...pestCase.templates.map(({ target }) => target),
    ...pestCase.instructions.map(({ output }) => output),
  ];
  const { names, note } = await findModelFiles(folder, (name) => made.includes(name) || isOfPest(name));
  const { text, notes } = formatPestProblem(pestCase, {
    control: relative,
    file: path.basename(given.file),
    command: given.command,
    copies: copiesOf(names),
  });
  return { text, notes: note === undefined ? notes : [...notes, note] };
}

async function importPetab(given: ToImport): Promise<NewText> {
  if (given.command === undefined) {
    throw new ImportError(
      `${given.from} has no program: name the simulator, as in --command "python3 simulate.py". It gets the parameters of a run, and leaves simulations.tsv.`,
    );
  }
  const { home, relative, folder, copiesOf } = placesOf(given);
  const problem = await loadPetab(relative, home);
  const own = path.basename(given.file);
  const { names, note } = await findModelFiles(folder, (name) => name === own || /\.best(-\d+)?\.\w+\.tsv$/.test(name));
  const { text, notes } = formatPetabProblem(problem, {
    petab: relative,
    file: own,
    command: given.command,
    copies: copiesOf(names),
  });
  return { text, notes: note === undefined ? notes : [...notes, note] };
}
