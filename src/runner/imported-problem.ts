/** New problem files from those of other programs, for `init --from`. */
import path from 'node:path';
import { loadCase } from './pest/case.ts';
import { findModelFiles } from './pest/model-files.ts';
import { PestFileError } from './pest/pest-error.ts';
import { formatPestProblem, type NewText } from './pest/problem-text.ts';
import { readRegularFile } from './read-file.ts';

/** What cannot become a problem file; the message says why and what to do. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

interface ToImport {
  /** As the user named it. */
  readonly from: string;
  /** The problem file that is to be written; relative paths in it start at its folder. */
  readonly file: string;
}

/** Throws ImportError. */
export async function importProblem({ from, file }: ToImport): Promise<NewText> {
  const text = await readRegularFile(from).catch((error: NodeJS.ErrnoException) => {
    throw new ImportError(`${from}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`);
  });
  try {
    if (/^\s*(#.*\s+)*pcf\b/i.test(text.toString('latin1').replace(/^\u00EF\u00BB\u00BF/, '')))
      return await importPest({ from, file });
  } catch (error) {
    throw error instanceof PestFileError ? new ImportError(error.message) : error;
  }
  throw new ImportError(`${from} is no control file of PEST, which begins with pcf.`);
}

/** The name of the new file, where the user names none. */
export function nameOfImport(from: string): string {
  return `${path.parse(from).name}.yaml`;
}

async function importPest({ from, file }: ToImport): Promise<NewText> {
  const home = path.dirname(path.resolve(file));
  const relative = path.relative(home, path.resolve(from)).split(path.sep).join('/');
  const pestCase = await loadCase(relative, home);
  const folder = path.posix.dirname(relative);
  const { names, note } = await findModelFiles(pestCase, path.dirname(path.resolve(from)));
  const copies = names.map((name) => path.posix.join(folder, name));
  const { text, notes } = formatPestProblem(pestCase, { control: relative, file: path.basename(file), copies });
  return { text, notes: note === undefined ? notes : [...notes, note] };
}
