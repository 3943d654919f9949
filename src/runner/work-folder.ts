/** A folder of its own for each evaluation: its files, what it printed, and what came of it. */
import { chmod, cp, lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { whyUnwritten } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { type Evaluation, LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { NO_FILE, readRegularFile } from './read-file.ts';
import { type InputValues, parseFileTemplate, type Template } from './template.ts';

/** A file written anew for each evaluation. */
export interface FileTemplate {
  readonly template: Template;
  /** In the work folder. */
  readonly target: string;
  readonly mode: number;
}

/** Reads `IN:OUT`, IN in `startFolder` and OUT in the work folder. Throws LocalFault. */
export async function readFileTemplate(text: string, startFolder: string): Promise<FileTemplate> {
  const colon = text.lastIndexOf(':');
  const [source, target] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || target === '') throw new LocalFault(`--template ${text}: write IN:OUT, such as in.tmpl:in.dat.`);
  const normal = path.normalize(target);
  if (isOutside(target)) {
    throw new LocalFault(`--template ${text}: "${target}" must lie in the work folder, so write a relative path.`);
  }
  try {
    const file = path.resolve(startFolder, source);
    const [bytes, { mode }] = [await readRegularFile(file), await stat(file)];
    // Old programs read any encoding, so bytes that are no placeholder stay as they are.
    return { template: inBytes(parseFileTemplate(bytes.toString('latin1'), encode(source))), target: normal, mode };
  } catch (error) {
    throw asFault(error, `--template ${text}`);
  }
}

/** Whether a name leads out of the folder that it is relative to. */
export function isOutside(name: string): boolean {
  return path.isAbsolute(name) || path.normalize(name).split(path.sep)[0] === '..';
}

/** A template over the bytes of UTF-8, each as one character. */
function inBytes(template: Template): Template {
  const encodeValue = (value: InputValues[string]) => (typeof value === 'string' ? encode(value) : value);
  const encodeAll = (values: InputValues): InputValues =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [encode(name), encodeValue(value)]));
  return {
    check: (names) => decodingFaults(() => template.check(names.map(encode))),
    render: (values) => decodingFaults(() => template.render(encodeAll(values))),
  };
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function decodingFaults<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new LocalFault(Buffer.from((error as Error).message, 'latin1').toString('utf8'), { cause: error });
  }
}

/** Makes the folder in which work folders will lie, and finds out whether they can be written. Throws LocalFault. */
export async function prepareWorkFolders(root: string): Promise<void> {
  const probe = path.join(root, `.probe-${process.pid}`);
  try {
    await makeFolders(root);
    await writeFile(probe, 'x', { flag: 'wx' });
    await rm(probe);
  } catch (error) {
    throw asFault(error, `The work folder ${root} cannot be used; name another with --work`);
  }
}

/** Not with `recursive`, which never ends where a file system refuses new folders as if their parent were missing. */
async function makeFolders(folder: string): Promise<void> {
  const make = () =>
    mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  try {
    await make();
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolders(parent);
    await make();
  }
}

/** A new folder, named after the evaluation and its try. Throws LocalFault. */
export async function makeWorkFolder(root: string, { id, try: number }: Evaluation): Promise<string> {
  for (let copy = 1; ; copy++) {
    const folder = path.join(root, `${id}-try${number}${copy === 1 ? '' : `-${copy}`}`);
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      // The same try runs a second time when its lease was lost.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw asFault(error, 'The work folder cannot be made');
    }
  }
}

/** Throws LocalFault: an evaluation without all its files would fail through no fault of its own. */
export async function fillWorkFolder(
  folder: string,
  copies: readonly string[],
  templates: readonly FileTemplate[],
  values: InputValues,
): Promise<void> {
  try {
    for (const source of copies) {
      await cp(source, path.join(folder, path.basename(source)), {
        recursive: true,
        preserveTimestamps: true,
        filter: refuseDevices,
      });
    }
    for (const { template, target, mode } of templates) {
      const file = path.join(folder, target);
      await makeFolders(path.dirname(file));
      await writeFile(file, Buffer.from(template.render(values), 'latin1'));
      await chmod(file, mode);
    }
  } catch (error) {
    throw error instanceof LocalFault ? error : asFault(error, `The work folder ${folder} cannot be filled`);
  }
}

/** Copying a device would never end. */
async function refuseDevices(source: string): Promise<boolean> {
  const stats = await lstat(source);
  if (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()) return true;
  throw new LocalFault(`--copy ${source}: ${NO_FILE}.`);
}

function asFault(error: unknown, what: string): LocalFault {
  if (error instanceof LocalFault) return error;
  return new LocalFault(`${what}: ${whyUnwritten(error)}`, { cause: error });
}
