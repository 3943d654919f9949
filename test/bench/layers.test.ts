/** The layers are clients, src, tools, harness, bench and test, each above the one before. Code that two of them need moves down. */
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles, type Import, readSource, resolve } from '../support/import-rules.ts';
import { ownFiles } from '../support/own-files.ts';

const ROOT = new URL('../../', import.meta.url);

/** Folders that each folder may import from, beside itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  clients: [],
  src: ['clients', 'migrations'],
  migrations: [],
  tools: ['clients', 'src'],
  harness: ['clients', 'src', 'tools'],
  bench: ['clients', 'harness', 'src', 'tools'],
  test: ['bench', 'clients', 'harness', 'src', 'migrations', 'tools'],
};

interface Crossing {
  readonly from: string;
  readonly to: string;
}

function forbiddenTo(folder: string): readonly string[] {
  return Object.keys(ALLOWED).filter((other) => other !== folder && !ALLOWED[folder]!.includes(other));
}

/** Imports from another layer than the file's own. Parses only what names a layer that the file may not import from. */
function crossings(path: string, source: string): Crossing[] {
  if (!forbiddenTo(folderOf(path)).some((other) => source.includes(`../${other}/`))) return [];
  return readSource(path, source)
    .imports.map((one) => ({ from: path, to: resolve(one) ?? path }))
    .filter(({ to }) => folderOf(to) !== folderOf(path) && folderOf(to) in ALLOWED);
}

const folderOf = (path: string): string => path.split('/')[0]!;

function complaintsAbout(found: readonly Crossing[]): string[] {
  return found
    .filter(({ from, to }) => !ALLOWED[folderOf(from)]!.includes(folderOf(to)))
    .map(({ from, to }) => `${from} imports ${to}`);
}

/** Whether a source names a folder that its own may not import from: parsing all sources takes seconds. */
function maybeCrosses(folder: string, source: string): boolean {
  const forbidden = Object.keys(ALLOWED).filter((other) => other !== folder && !ALLOWED[folder]!.includes(other));
  return forbidden.some((other) => source.includes(`../${other}/`));
}

/** Found by their text, since parsing every file takes seconds. */
function relativeImports(from: string, source: string): Import[] {
  return [...source.matchAll(/ from '(\.[^']+)'/g)].map(([, specifier]) => ({
    from,
    specifier: specifier!,
    isType: true,
  }));
}

/** Each file with its text. */
async function readSources(folder: string): Promise<(readonly [path: string, source: string])[]> {
  const names = await ownFiles(folder, '**/*.{ts,tsx}');
  const paths = names.map((name) => posix.join(folder, name));
  return Promise.all(paths.map(async (path) => [path, await readFile(new URL(path, ROOT), 'utf8')] as const));
}

async function readCrossings(folder: string): Promise<Crossing[]> {
  const sources = await readSources(folder);
  return sources.flatMap(([path, source]) => (maybeCrosses(folder, source) ? crossings(path, source) : []));
}

describe('the layers of the project', () => {
  it.each(Object.keys(ALLOWED))('%s imports only from layers below it', async (folder) => {
    expect(complaintsAbout(await readCrossings(folder))).toEqual([]);
  });

  it.each(['bench', 'harness'])('no files of %s import each other in a circle, even through types', async (folder) => {
    const sources = await readSources(folder);
    expect(sources.length).toBeGreaterThan(10);
    expect(findCycles(sources.flatMap(([path, source]) => relativeImports(path, source)))).toEqual([]);
  });

  it.each([
    ['clients/typescript/src/errors.ts', "import type { ErrorCode } from '../../../src/domain/errors.ts';"],
    ['src/settings/config.ts', "import { findFreePort } from '../../harness/free-port.ts';"],
    ['harness/proxy.ts', "import { makeClient } from '../bench/service/client.ts';"],
    ['bench/service/waits.ts', "import { createTestDatabase } from '../../test/support/postgres.ts';"],
    ['bench/service/waits.ts', "const entry = new URL('../../test/support/entry.ts', import.meta.url);"],
  ])('an import that points upwards from %s is reported', (path, source) => {
    expect(complaintsAbout(crossings(path, source))).toHaveLength(1);
  });
});
