/** Finds the file of a program as the system would. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';

/** Endings that Windows runs without a shell. */
const WINDOWS_ENDINGS = ['.exe', '.com'];
const SHELL_ENDINGS = /\.(bat|cmd)$/i;

/**
 * A name is looked for in the folders of PATH; a path is meant from `startFolder`, wherever the command runs. Throws LocalFault, which says
 * what to change.
 */
export async function findFile(
  name: string,
  startFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Promise<string> {
  const isWindows = platform === 'win32';
  if (isWindows && SHELL_ENDINGS.test(name)) {
    throw new LocalFault(
      `${name} is a batch file, which only a shell runs: use --shell, or shell: true in a problem file.`,
    );
  }
  const hasEnding = WINDOWS_ENDINGS.some((ending) => name.toLowerCase().endsWith(ending));
  const endings = isWindows && !hasEnding ? WINDOWS_ENDINGS : [''];
  if (name.includes('/') || (isWindows && name.includes('\\'))) {
    const file = path.resolve(startFolder, name);
    const found = await firstExecutable(endings.map((ending) => file + ending));
    if (found !== undefined) return found;
    throw new LocalFault(`The command ${file} is not there or may not be executed.`);
  }
  const [, folders = ''] = Object.entries(environment).find(([variable]) => isPath(variable, isWindows)) ?? [];
  const all = folders.split(isWindows ? ';' : ':').filter((folder) => folder !== '');
  const files = all.flatMap((folder) => endings.map((ending) => path.resolve(startFolder, folder, name + ending)));
  const found = await firstExecutable(files);
  if (found !== undefined) return found;
  throw new LocalFault(`The command ${name} is in no folder of PATH. A file in this folder is written ./${name}.`);
}

/** Windows does not distinguish cases in names of variables. */
function isPath(variable: string, isWindows: boolean): boolean {
  return (isWindows ? variable.toUpperCase() : variable) === 'PATH';
}

async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
