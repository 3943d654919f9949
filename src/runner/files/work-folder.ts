/** A folder of its own for each evaluation: its files, what it printed, and what came of it. */
import { chmod, cp, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { whyUnwritten } from '../../../clients/typescript/src/evaluator/durable-files.ts';
import { type Evaluation, LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { NO_FILE, readRegularFile } from './read-file.ts';
import { type InputValues, parseFileTemplate, type Template } from './template.ts';

/** A file written again for each evaluation. */
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
    places: (names) =>
      decodingFaults(() => template.places!(names.map(encode))).map((place) => ({
        ...place,
        label: decode(place.label),
        input: decode(place.input),
        write: (value, format) => decode(decodingFaults(() => place.write(encodeValue(value), format))),
      })),
  };
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function decode(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

function decodingFaults<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new LocalFault(decode((error as Error).message), { cause: error });
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

/**
 * Files that links under `copies` point to are copied as well, so that no run writes into a file of the user or of another run. Of
 * `removes`, what an earlier run left among the copies goes; files of templates stay.
 *
 * Throws LocalFault: an evaluation without all its files would fail through no fault of its own.
 */
export async function fillWorkFolder(
  folder: string,
  copies: readonly string[],
  templates: readonly FileTemplate[],
  values: InputValues,
  removes: readonly string[],
): Promise<void> {
  try {
    for (const source of copies) {
      await cp(source, path.join(folder, path.basename(source)), {
        recursive: true,
        preserveTimestamps: true,
        dereference: true,
        filter: isCopied,
      });
    }
    for (const file of removes) await removeFile(path.join(folder, file));
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

/** Not a link that points nowhere. Copying a device, or a folder into itself, would never end. */
async function isCopied(source: string): Promise<boolean> {
  const isLink = (await lstat(source)).isSymbolicLink();
  const stats = await stat(source).catch((error: NodeJS.ErrnoException) => {
    if (isLink && error.code === 'ENOENT') return undefined;
    throw error.code === 'ELOOP' ? new LocalFault(`--copy ${source}: it is a link that leads to itself.`) : error;
  });
  if (stats === undefined) return false;
  if (!stats.isFile() && !stats.isDirectory()) throw new LocalFault(`--copy ${source}: ${NO_FILE}.`);
  if (isLink && stats.isDirectory()) {
    const target = await realpath(source);
    const within = path.relative(target, await realpath(path.dirname(source)));
    if (!isOutside(within)) throw new LocalFault(`--copy ${source}: it is a link to a folder that it lies in.`);
  }
  return true;
}

/** A folder of that name stays: it is no file that could be read. */
async function removeFile(file: string): Promise<void> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats !== undefined && !stats.isDirectory()) await rm(file, { force: true });
}

function asFault(error: unknown, what: string): LocalFault {
  if (error instanceof LocalFault) return error;
  return new LocalFault(`${what}: ${whyUnwritten(error)}`, { cause: error });
}
