/**
 * Describes the looks of a black box: the files that it is made of and how it is called. A change of them says that the
 * black box may answer otherwise now.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** A digest for each part, by the part's name in words; null for a file that runs write, which says nothing. */
export type Look = Readonly<Record<string, string | null>>;
/** Those of the black box, under the name of OWN, and of its cheaper sources. */
export type Looks = Readonly<Record<string, Look>>;
export const OWN = '';
/** The parts that differ, of the black box and of its sources. */
export type Changes = ReadonlyMap<string, readonly string[]>;

/** A file that may be part of a black box. */
export interface BoxFile {
  /** Absolute. */
  readonly path: string;
  /** As messages call it. */
  readonly name: string;
  /** Whether it is a word of a command alone, which may be a file that runs write. */
  readonly isWord?: boolean;
}

/** Contents of the parts, before their digests. */
export interface BoxParts {
  /** Texts by their names, such as how the black box is called. */
  readonly texts: Readonly<Record<string, string>>;
  /** Files and folders. */
  readonly files: readonly BoxFile[];
}

/** Larger files, and all beyond a total, count by their size, their time and a few blocks. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_BYTES_IN_ALL = 512 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
const BLOCKS = 64;
const MOST_FILES = 1_000;
const SKIPPED: readonly string[] = ['.backsolve', '.git', 'node_modules', '__pycache__'];

/** Looks at a black box, again and again: a file with the size and the time of before is not read again. */
export class Looker {
  /** The function that is called, if there is one: what it closes over is not to be seen. */
  readonly of: object | null;
  readonly #partsOf: () => Promise<ReadonlyMap<string, BoxParts>>;
  readonly #digests = new Map<string, string>();
  readonly #words = new Set<string>();
  #bytes = 0;

  /** @param partsOf  of the black box under OWN, and of its sources */
  constructor(partsOf: () => Promise<ReadonlyMap<string, BoxParts>>, of: object | null = null) {
    this.#partsOf = partsOf;
    this.of = of;
  }

  async look(): Promise<Looks> {
    const looks: Record<string, Look> = {};
    for (const [source, parts] of await this.#partsOf()) looks[source] = await this.#lookAt(parts);
    return looks;
  }

  /** Whether a part is a word of a command alone. */
  isWord(name: string): boolean {
    return this.#words.has(name);
  }

  async #lookAt({ texts, files }: BoxParts): Promise<Look> {
    const look: Record<string, string> = {};
    for (const [name, text] of Object.entries(texts)) look[name] = hashOf(text);
    let left = MOST_FILES;
    for (const file of files) {
      for (const one of await filesIn(file, left)) {
        const digest = await this.#digestOf(one.path);
        if (digest === undefined) continue;
        look[one.name] = digest;
        if (one.isWord === true) this.#words.add(one.name);
        left -= 1;
      }
    }
    return look;
  }

  /** Undefined for what is no file any more. */
  async #digestOf(file: string): Promise<string | undefined> {
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined || !stats.isFile()) return undefined;
    const key = `${file} ${stats.size} ${stats.mtimeMs}`;
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    const isWhole = stats.size <= MOST_BYTES && this.#bytes + stats.size <= MOST_BYTES_IN_ALL;
    if (isWhole) this.#bytes += stats.size;
    const digest = await (isWhole ? digestOfFile(file) : digestOfBlocks(file, stats)).catch(() => undefined);
    if (digest !== undefined) this.#digests.set(key, digest);
    return digest;
  }
}

function hashOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

async function digestOfFile(file: string): Promise<string> {
  return hashOf(await readFile(file));
}

async function digestOfBlocks(file: string, { size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }) {
  const hash = createHash('sha256').update(`${size} ${mtimeMs}`);
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(BLOCK_BYTES);
    for (let k = 0; k < BLOCKS; k++) {
      const at = Math.max(0, Math.floor(((size - BLOCK_BYTES) * k) / (BLOCKS - 1)));
      const { bytesRead } = await handle.read(buffer, 0, BLOCK_BYTES, at);
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex').slice(0, 16);
}

/** A file, or those of a folder and of the folders in it, at most so many. */
async function filesIn(file: BoxFile, most: number): Promise<readonly BoxFile[]> {
  const stats = await stat(file.path).catch(() => undefined);
  if (stats === undefined || most <= 0) return [];
  if (!stats.isDirectory()) return [file];
  const found: BoxFile[] = [];
  const entries = await readdir(file.path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (SKIPPED.includes(entry.name) || entry.isSymbolicLink()) continue;
    const inner = { ...file, path: path.join(file.path, entry.name), name: path.join(file.name, entry.name) };
    found.push(...(await filesIn(inner, most - found.length)));
  }
  return found;
}

/** Parts that differ of the black box and of each source that has changed. New or removed parts are no change of the others. */
export function changesOf(before: Looks, now: Looks): Changes {
  const changes = new Map<string, readonly string[]>();
  for (const [source, look] of Object.entries(now)) {
    const known = before[source] ?? {};
    const parts = Object.keys(look).filter((part) => known[part] != null && known[part] !== look[part]);
    if (parts.length > 0) changes.set(source, parts);
  }
  return changes;
}

/**
 * Looks to keep after a further look: parts that are gone may come back, and parts that said nothing still say nothing.
 * A word of a command that has become a file since the first look was written by runs.
 */
export function updated(before: Looks, now: Looks, isWord: (part: string) => boolean): Looks {
  return mapLooks(now, (look, source) => {
    const known = before[source];
    if (known === undefined) return look;
    const kept = Object.entries(look).map(([part, digest]) => {
      const isWritten = known[part] === null || (known[part] === undefined && isWord(part));
      return [part, isWritten ? null : digest];
    });
    return { ...known, ...Object.fromEntries(kept) };
  });
}

/** `looks`, where the parts of `moving` say nothing from now on. */
export function withoutMoving(looks: Looks, moving: Changes): Looks {
  return mapLooks(looks, (look, source) => ({
    ...look,
    ...Object.fromEntries((moving.get(source) ?? []).map((part) => [part, null])),
  }));
}

/** The parts that are in both. */
export function inBoth(one: Changes, other: Changes): Changes {
  const both = [...one].map(
    ([source, parts]) => [source, parts.filter((part) => other.get(source)?.includes(part))] as const,
  );
  return new Map(both.filter(([, parts]) => parts.length > 0));
}

function mapLooks(looks: Looks, change: (look: Look, source: string) => Look): Looks {
  return Object.fromEntries(Object.entries(looks).map(([source, look]) => [source, change(look, source)]));
}

/** Languages whose programs name the files that they are made of. */
const IMPORTS: readonly (readonly [RegExp, RegExp, readonly string[]])[] = [
  [
    /\.(m|c)?(j|t)sx?$/,
    /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*['"](\.{1,2}\/[^'"]+)['"]/g,
    ['', '.ts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'],
  ],
  [/\.py$/, /^[ \t]*(?:from|import)[ \t]+(\.*[\w.]+)/gm, ['.py', '/__init__.py']],
];

/** A program of the user and the files beside it that it imports, and those that these import. Installed packages are none of them. */
export async function withImports(program: BoxFile, home: string): Promise<readonly BoxFile[]> {
  const found = new Map([[program.path, program]]);
  for (const { path: file } of found.values()) {
    const rule = IMPORTS.find(([ending]) => ending.test(file));
    if (rule === undefined || found.size >= MOST_FILES) continue;
    const [, pattern, endings] = rule;
    const text = await readSmall(file);
    for (const [, name] of text.matchAll(pattern)) {
      for (const ending of endings) {
        const at = path.resolve(path.dirname(file), pathOf(name!, file) + ending);
        const isFile = !found.has(at) && (await stat(at).catch(() => undefined))?.isFile();
        if (isFile) found.set(at, { path: at, name: path.relative(home, at) });
      }
    }
  }
  return [...found.values()];
}

/** Path of a module that a program imports from its folder. */
function pathOf(name: string, file: string): string {
  if (!file.endsWith('.py')) return name;
  const [dots] = /^\.*/.exec(name)!;
  return `${'../'.repeat(Math.max(0, dots.length - 1))}${name.slice(dots.length).replaceAll('.', '/')}`;
}

async function readSmall(file: string): Promise<string> {
  const { size = 0 } = (await stat(file).catch(() => undefined)) ?? {};
  return size > MOST_BYTES ? '' : readFile(file, 'utf8').catch(() => '');
}
