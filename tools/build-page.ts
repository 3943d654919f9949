/**
 * Builds the page into dist/page, and what /docs shows into dist/page/docs, with a .br and a .gz beside each file. `npm run build` always does; before `npm start` it is done
 * if the sources have changed since (--if-changed), and without development dependencies the service starts without a new page.
 *
 * The page is built in a folder of its own that then replaces dist/page, so a service that runs never serves half a page.
 */
import { createHash } from 'node:crypto';
import { glob, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** All sources of the page, relative to the root of the repository. */
export const PAGE_SOURCES = [
  'src/dashboard/**',
  'src/presentation/**',
  'src/numbers/**',
  'tools/build-page.ts',
  'tools/build-docs.ts',
  'tools/render-guide.ts',
  'tools/render-reference.ts',
  'tools/render-schema.ts',
  'tools/search-index.ts',
  'clients/typescript/src/**',
  'package-lock.json',
  // The sources of /docs.
  'docs/*.md',
  'docs/guides/*.md',
  'docs/pictures/*',
  'docs/openapi.json',
  'docs/openapi-sdk.json',
  'package.json',
];
const CONFIG = 'src/dashboard/vite.config.ts';
/** Beside the built files: a hash of their sources. */
const STAMP = '.sources';

export type BuildOutcome = 'built' | 'unchanged' | 'no dependencies';

interface BuildOptions {
  /** Folder of the repository. */
  readonly root: string;
  /** Folder that gets the page. */
  readonly target: string;
  /** Whether to keep a page that was built from the same sources. */
  readonly onlyIfChanged: boolean;
  /** Called before anything that takes time. */
  readonly onBegin?: () => void;
}

/** Rejects when the sources cannot be built; the earlier page stays. */
export async function buildPage({ root, target, onlyIfChanged, onBegin }: BuildOptions): Promise<BuildOutcome> {
  const stamp = await hashSources(root);
  const known = await readFile(join(target, STAMP), 'utf8').catch(() => undefined);
  if (onlyIfChanged && stamp === known) return 'unchanged';
  const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  if (vite === undefined) return 'no dependencies';
  onBegin?.();
  const fresh = `${target}.${process.pid}`;
  try {
    await vite.build({ configFile: join(root, CONFIG), build: { outDir: fresh, emptyOutDir: true } });
    // Loaded only now: it needs development dependencies.
    const { buildDocs } = await import('./build-docs.ts');
    await buildDocs(root, join(fresh, 'docs'));
    await compressFiles(fresh);
    await writeFile(join(fresh, STAMP), stamp);
    await replaceFolder(target, fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return 'built';
}

/** Hex SHA-256 of the names and the contents. */
async function hashSources(root: string): Promise<string> {
  const names: string[] = [];
  for await (const name of glob(PAGE_SOURCES, { cwd: root })) names.push(name);
  const hash = createHash('sha256');
  for (const name of names.sort()) {
    const file = join(root, name);
    if (!(await stat(file)).isFile()) continue;
    const content = await readFile(file);
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** In bytes. Of a larger file, NAME.br would save a sixth of NAME.gz where it is loaded, and weigh a tenth of the packages. */
const LARGE = 1_000_000;

/** Writes NAME.gz beside each file of the folder, and NAME.br if it is not large; pictures are compressed already. */
export async function compressFiles(folder: string): Promise<void> {
  const names: string[] = [];
  for await (const name of glob('**', { cwd: folder })) names.push(name);
  for (const name of names) {
    const file = join(folder, name);
    if (name.endsWith('.png') || !(await stat(file)).isFile()) continue;
    const content = await readFile(file);
    await writeFile(`${file}.gz`, await toGzip(content, { level: 9 }));
    if (content.length <= LARGE) await writeFile(`${file}.br`, await toBrotli(content));
  }
}

/** A folder cannot be replaced atomically: the old one is moved away first. */
async function replaceFolder(target: string, fresh: string): Promise<void> {
  const old = `${fresh}.old`;
  await rename(target, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(fresh, target);
  await rm(old, { recursive: true, force: true });
}

const MISSING =
  'The page is not built: that needs the development dependencies, which `npm ci` installs. Everything else works.';

/** Returns the exit code. A failure does not keep `npm start` from starting. */
async function main(onlyIfChanged: boolean): Promise<number> {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const onBegin = () => console.log('Building the page ...');
  try {
    const outcome = await buildPage({ root, target: join(root, 'dist/page'), onlyIfChanged, onBegin });
    if (outcome !== 'no dependencies') return 0;
    console.error(MISSING);
  } catch (error) {
    console.error(error);
    console.error('The page could not be built; see above.');
  }
  return onlyIfChanged ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.includes('--if-changed'));
