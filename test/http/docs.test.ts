/** Tests how /docs is served: the policies, what caches may keep, and what is said when it is not built. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type NativeService, openNativeService } from './native-service.ts';

const STRICT =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const TRY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

let folder: string;
let service: NativeService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backsolve-docs-'));
  service = await openNativeService({ settings: { pageFolder: folder } });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const ask = (url: string) => service.app.inject({ method: 'GET', url });

it('Where nothing is built the answer says what to do', async () => {
  for (const url of [
    '/docs',
    '/docs/',
    '/docs/v1/models',
    '/docs/api',
    '/docs/try',
    '/docs/guides',
    '/docs/guides/keys',
  ]) {
    const answer = await ask(url);
    expect([url, answer.statusCode]).toEqual([url, 503]);
    expect(answer.body).toContain('npm run build');
    expect(answer.headers['cache-control']).toBe('no-store');
  }
  expect((await ask('/docs/assets/library-JidmHtab.js')).statusCode).toBe(404);
});

describe('when it is built', () => {
  beforeAll(async () => {
    for (const name of ['assets', 'guides', 'pictures', 'v1', 'api'])
      await mkdir(join(folder, 'docs', name), { recursive: true });
    await writeFile(join(folder, 'index.html'), 'the page');
    await writeFile(join(folder, 'docs/index.html'), 'native');
    await writeFile(join(folder, 'docs/api.html'), 'existing clients');
    await writeFile(join(folder, 'docs/v1/models.html'), 'models');
    await writeFile(join(folder, 'docs/try.html'), 'requests');
    await writeFile(join(folder, 'docs/api/try.html'), 'requests of existing clients');
    await writeFile(join(folder, 'docs/guides/index.html'), 'guides');
    await writeFile(join(folder, 'docs/guides/keys.html'), 'keys');
    await writeFile(join(folder, 'docs/pictures/page.png'), 'picture');
    await writeFile(join(folder, 'docs/pictures/chart.svg'), 'chart');
    await writeFile(join(folder, 'docs/assets/library-JidmHtab.js'), 'library');
  });

  test.each([
    ['/docs', 'native', STRICT],
    ['/docs/', 'native', STRICT],
    ['/docs/v1/models', 'models', STRICT],
    ['/docs/try', 'requests', TRY],
    ['/docs/api', 'existing clients', STRICT],
    ['/docs/api/try', 'requests of existing clients', TRY],
    ['/docs/guides', 'guides', STRICT],
    ['/docs/guides/keys', 'keys', STRICT],
    ['/docs/pictures/page.png', 'picture', STRICT],
    ['/docs/pictures/chart.svg', 'chart', STRICT],
  ])('%s shows %s', async (url, body, policy) => {
    const answer = await ask(url);
    expect(answer).toMatchObject({ statusCode: 200, body });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    });
  });

  it('Hashed files are kept for ever', async () => {
    const answer = await ask('/docs/assets/library-JidmHtab.js');
    expect(answer).toMatchObject({ statusCode: 200, body: 'library' });
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test.each([
    '/docs/guides/gone',
    '/docs/v1/gone',
    '/docs/v1/..%2findex',
    '/docs/guides/..%2findex',
    '/docs/guides/%2e%2e%2findex',
    '/docs/pictures/gone.png',
    '/docs/pictures/..%2f..%2findex.html',
    '/docs/assets/..%2findex.html',
    '/docs/assets/gone.js',
    '/docs/static/index.html',
  ])('%s is not there', async (url) => {
    const answer = await ask(url);
    expect(answer.statusCode, answer.body).toBeGreaterThanOrEqual(400);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.body).not.toContain(folder);
  });
});
