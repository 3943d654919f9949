/** Measures the loaded page, as browsers that know gzip get it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../../tools/build-page.ts';

/** In bytes. Raise them knowingly: what is written here is promised in docs/page.md. */
const LIMITS = { run: 60_000, all: 162_000, team: 24_000 };

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}dist/page/assets/`;
let names: readonly string[];

beforeAll(async () => {
  // Without a browser the other tests need no page, so it has not been built.
  await buildPage({ root, target: `${root}dist/page`, onlyIfChanged: true });
  names = (await readdir(folder)).filter((name) => /\.(js|css)$/.test(name));
});

async function weigh(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(Array.from(files, async (name) => (await stat(`${folder}${name}.gz`)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function nameOf(part: string): string {
  const found = names.filter((name) => name.startsWith(`${part}-`) && name.endsWith('.js'));
  expect(found, `files of ${part}`).toHaveLength(1);
  return found[0]!;
}

/** Whether a file is loaded only by people who share a service or an account. */
function isOfTeam(name: string): boolean {
  return name.startsWith('team-');
}

/** The file and all that it imports; not what it loads on demand. */
async function withImports(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const text = await readFile(`${folder}${name}`, 'utf8');
  for (const [, imported] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) await withImports(imported!, found);
  return found;
}

describe('the page', () => {
  it('needs little for the run view', async () => {
    const index = await readFile(`${root}dist/page/index.html`, 'utf8');
    const first = Array.from(index.matchAll(/\/page\/assets\/([^"]+\.(?:js|css))"/g), ([, name]) => name!);
    expect(first.some((name) => name.endsWith('.css'))).toBe(true);
    const files = new Set(first);
    for (const name of [...first.filter((one) => one.endsWith('.js')), nameOf('objective')]) {
      for (const imported of await withImports(name)) files.add(imported);
    }
    expect(files.size).toBeGreaterThan(3);
    const size = await weigh(files);
    console.log(`The run view: ${size} bytes in ${files.size} files`);
    expect(size).toBeLessThanOrEqual(LIMITS.run);
  });

  it('is small with all views', async () => {
    const others = names.filter((name) => !isOfTeam(name));
    const size = await weigh(others);
    console.log(`All views but those for teams: ${size} bytes in ${others.length} files`);
    expect(size).toBeLessThanOrEqual(LIMITS.all);
  });

  it('needs little for the views for teams', async () => {
    const size = await weigh(names.filter(isOfTeam));
    console.log(`The views for teams: ${size} bytes`);
    expect(size).toBeLessThanOrEqual(LIMITS.team);
  });
});
