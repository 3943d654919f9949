/** The files of a folder of this repository, without what is installed there: an environment of Python has thousands. */
import { glob } from 'node:fs/promises';

const ROOT = new URL('../../', import.meta.url);
const INSTALLED = /(^|[\\/])(node_modules|\.venv)$/;

/** @returns paths from the folder on, with slashes */
export async function ownFiles(folder: string, pattern: string): Promise<readonly string[]> {
  const found: string[] = [];
  const cwd = new URL(`${folder}/`, ROOT);
  for await (const name of glob(pattern, { cwd, exclude: (path) => INSTALLED.test(path) })) {
    found.push(name.replaceAll('\\', '/'));
  }
  return found.sort();
}
