/** Tests how the page is served: the policy, what caches may keep, compressed files, paths of the page, and a page that is not built. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { compressFiles } from '../../tools/build-page.ts';
import { type NativeService, openNativeService } from './native-service.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const INDEX = '<!doctype html><title>Backsolve</title>';
const SCRIPT = `export const text = '${'long '.repeat(1_000)}';`;

let parent: string;
let folder: string;
let service: NativeService;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'backsolve-page-'));
  folder = join(parent, 'page');
  await writeFile(join(parent, 'secret.txt'), 'secret');
  service = await openNativeService({ settings: { pageFolder: folder } });
});
afterAll(async () => {
  await service.close();
  await rm(parent, { recursive: true });
});

const ask = (method: 'GET' | 'HEAD' | 'POST', url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ method, url, headers });

/** As the build writes it. */
async function build(): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'index.html'), INDEX);
  await writeFile(join(folder, 'assets/main-BaR9FLFd.js'), SCRIPT);
  await writeFile(join(folder, '.sources'), 'stamp');
  await compressFiles(folder);
}

it('A page that is not built says what to do, and is served once it is built', async () => {
  for (const url of ['/page', '/page/objectives/7']) {
    const missing = await ask('GET', url);
    expect(missing.statusCode).toBe(503);
    expect(missing.body).toContain('npm run build');
    expect(missing.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
    });
  }
  expect((await ask('GET', '/page/assets/main-BaR9FLFd.js')).statusCode).toBe(404);
  await build();
  expect((await ask('GET', '/page')).statusCode).toBe(200);
});

describe('a page that is built', () => {
  beforeAll(build);

  test.each(['/page', '/page/', '/page/objectives/7', '/page/new?from=3', '/page/assets/', '/page/.sources'])(
    '%s is the page, which is asked for again each time',
    async (url) => {
      const answer = await ask('GET', url);
      expect(answer).toMatchObject({ statusCode: 200, body: INDEX });
      expect(answer.headers).toMatchObject({
        'content-type': expect.stringMatching(/^text\/html; charset=utf-8$/i),
        'cache-control': 'no-cache',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      const again = await ask('GET', url, { 'if-none-match': String(answer.headers['etag']) });
      expect(again).toMatchObject({ statusCode: 304, body: '' });
    },
  );

  it('Hashed files are kept for ever', async () => {
    const answer = await ask('GET', '/page/assets/main-BaR9FLFd.js');
    expect(answer).toMatchObject({ statusCode: 200, body: SCRIPT });
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^(text|application)\/javascript/),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('A browser that takes %s gets the file compressed', async (encoding, decompress) => {
    for (const [url, text] of [
      ['/page/assets/main-BaR9FLFd.js', SCRIPT],
      ['/page/objectives/7', INDEX],
    ] as const) {
      const answer = await ask('GET', url, { 'accept-encoding': encoding });
      expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
      expect(decompress(answer.rawPayload).toString()).toBe(text);
    }
  });

  test.each(['/page', '/page/objectives/7', '/page/assets/main-BaR9FLFd.js'])('HEAD %s has no body', async (url) => {
    const [head, get] = [await ask('HEAD', url), await ask('GET', url)];
    expect(head).toMatchObject({ statusCode: 200, body: '' });
    for (const name of ['content-length', 'content-type', 'cache-control', 'content-security-policy', 'etag']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  });

  test.each([
    '/page/assets/gone-BaR9FLFd.js',

    '/page/assets/..%2findex.html',
    '/page/assets/..%2f..%2fsecret.txt',
    '/page/assets/%2e%2e/%2e%2e/secret.txt',
    '/page/assets/main-BaR9FLFd.js%00',
  ])('%s is no file of the page', async (url) => {
    const answer = await ask('GET', url);
    expect(answer.statusCode, answer.body).toBeGreaterThanOrEqual(400);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).not.toContain(parent);
  });

  it('The page is read, not written to', async () => {
    expect(await ask('POST', '/page')).toMatchObject({ statusCode: 405 });
    expect(await ask('POST', '/page/objectives/7')).toMatchObject({ statusCode: 404 });
  });
});

it('The root leads to the page', async () => {
  for (const method of ['GET', 'HEAD'] as const) {
    const answer = await ask(method, '/');
    expect([answer.statusCode, answer.headers['location']]).toEqual([302, '/page']);
  }
});
