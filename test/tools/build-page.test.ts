/** Building the page: when it is done, what comes out, and what stays when it fails. Uses Vite as `npm start` does. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPage } from '../../tools/build-page.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

let parent: string;
/** Stands for the repository: a page of one file, with the configuration of the real one. */
let root: string;
let target: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'backsolve-build-'));
  root = join(parent, 'repository');
  target = join(root, 'dist/page');
  const dashboard = join(root, 'src/dashboard');
  await mkdir(dashboard, { recursive: true });
  await mkdir(join(root, 'clients/typescript/src'), { recursive: true });
  for (const file of ['vite.config.ts', 'only-what-is-used.ts'])
    await cp(join(REPOSITORY, 'src/dashboard', file), join(dashboard, file));
  for (const folder of ['docs', 'styles']) {
    await cp(join(REPOSITORY, 'src/dashboard', folder), join(dashboard, folder), { recursive: true });
  }
  for (const file of ['icon.svg', 'shell/page-secret.ts']) {
    await cp(join(REPOSITORY, 'src/dashboard', file), join(dashboard, file));
  }
  await mkdir(join(root, 'docs/pictures'), { recursive: true });
  await writeFile(join(root, 'docs/keys.md'), '# Keys\n');
  for (const file of ['docs/openapi.json', 'docs/openapi-sdk.json', 'package-lock.json']) {
    await cp(join(REPOSITORY, file), join(root, file));
  }
  await writeFile(join(root, 'package.json'), '{"type": "module", "version": "1.2.3"}');
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  await writeFile(join(root, 'clients/typescript/src/index.ts'), "export const name: string = 'first';\n");
  await writeFile(join(dashboard, 'index.html'), '<!doctype html><script type="module" src="./main.ts"></script>\n');
  await writeFile(
    join(dashboard, 'main.ts'),
    "import { name } from '../../clients/typescript/src/index.ts';\ndocument.title = name;\n",
  );
});
afterAll(() => rm(parent, { recursive: true }));

const build = () => buildPage({ root, target, onlyIfChanged: true });
const files = async () => (await readdir(target, { recursive: true })).sort();
/** The file with what the page shows; others hold what views share. */
const scriptOf = async () => {
  const names = (await files()).filter((file) => /^assets\/.*\.js$/.test(file));
  const scripts = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(target, name), 'utf8') })),
  );
  return scripts.find(({ text }) => /first|second/.test(text))!;
};

it('The page is built when its sources have changed, with compressed files beside the others, and never by halves', async () => {
  expect(await build()).toBe('built');
  const first = await scriptOf();
  expect(first.text).toContain('first');
  expect(first.name).toMatch(/^assets\/[a-z]+-[\w-]{8}\.js$/);
  for (const file of ['index.html', first.name, 'docs/index.html', 'docs/guides/keys.html']) {
    const content = await readFile(join(target, file));
    expect(brotliDecompressSync(await readFile(join(target, `${file}.br`)))).toEqual(content);
    expect(gunzipSync(await readFile(join(target, `${file}.gz`)))).toEqual(content);
  }
  expect(await readFile(join(target, 'index.html'), 'utf8')).toContain(`/page/${first.name}`);
  expect(await build()).toBe('unchanged');

  await writeFile(join(root, 'clients/typescript/src/index.ts'), "export const name: string = 'second';\n");
  expect(await build()).toBe('built');
  const second = await scriptOf();
  expect(second.text).toContain('second');
  expect(await files()).not.toContain(first.name);

  // A page that cannot be built leaves the one that is there.
  await writeFile(join(root, 'clients/typescript/src/index.ts'), 'export const name: string = ;\n');
  await expect(build()).rejects.toThrow();
  expect(await scriptOf()).toEqual(second);
  expect(await readdir(join(root, 'dist'))).toEqual(['page']);

  await writeFile(join(root, 'clients/typescript/src/index.ts'), "export const name: string = 'second';\n");
  expect(await build()).toBe('unchanged');
  await rm(join(target, '.sources'));
  expect(await build()).toBe('built');
});
