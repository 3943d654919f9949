/** The reference and the guides as they are built: nothing inline, and no link that leads nowhere. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { buildDocs } from '../../tools/build-docs.ts';
import { readGuide } from '../../tools/render-guide.ts';
import { typeOf } from '../../tools/render-schema.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

let parent: string;
/** HTML by address. */
const pages = new Map<string, string>();
/** Addresses of what else is served. */
const others = new Set(['/page', '/v1/openapi.json', '/api/openapi.json']);
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'backsolve-docs-'));
  const folder = join(parent, 'docs');
  await buildDocs(REPOSITORY, folder);
  for (const file of await readdir(folder, { recursive: true })) {
    const address = `/docs/${file.replace(/\.html$/, '')}`.replace(/\/index$/, '');
    if (file.endsWith('.html')) pages.set(address, await readFile(join(folder, file), 'utf8'));
    else others.add(address);
  }
});
afterAll(() => rm(parent, { recursive: true }));

const idsOf = (html: string) => Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id!);

it('No link leads nowhere', () => {
  expect([...pages.keys()]).toEqual(
    expect.arrayContaining(['/docs', '/docs/v1/models', '/docs/try', '/docs/api', '/docs/guides', '/docs/guides/keys']),
  );
  let count = 0;
  for (const [address, html] of pages) {
    for (const [, link] of html.matchAll(/ (?:href|src|data-document)="([^"]*)"/g)) {
      if (/^https?:/.test(link!)) continue;
      const { pathname, hash } = new URL(link!, `http://x${address}`);
      const name = `${link} in ${address}`;
      count += 1;
      if (others.has(pathname)) continue;
      expect(pages.has(pathname), name).toBe(true);
      // The library that sends requests makes its anchors in the browser.
      if (hash !== '' && !pathname.endsWith('/try'))
        expect(idsOf(pages.get(pathname)!), name).toContain(decodeURIComponent(hash.slice(1)));
    }
  }
  expect(count).toBeGreaterThan(1_000);
});

it('Everything that the search finds is there, and every section of a guide is found', async () => {
  const [index] = [...others].filter((address) => /^\/docs\/assets\/search-.*\.json$/.test(address));
  const { storedFields, documentIds } = JSON.parse(await readFile(join(parent, index!), 'utf8')) as {
    readonly documentIds: Readonly<Record<string, string>>;
    readonly storedFields: Readonly<Record<string, { readonly heading: string; readonly text: string }>>;
  };
  const addresses = Object.values(documentIds);
  for (const address of addresses) {
    const [path, anchor] = address.split('#');
    expect(pages.has(path!), address).toBe(true);
    if (anchor !== undefined) expect(idsOf(pages.get(path!)!), address).toContain(anchor);
  }
  expect(addresses).toContain('/docs/guides/webhooks#a-new-secret');
  expect(addresses).toContain('/docs/v1/models#POST/models');
  const texts = Object.values(storedFields).flatMap(({ heading, text }) => [heading, text]);
  expect(texts.filter((text) => /^\s|\s$|\]\(|^#/.test(text))).toEqual([]);
});

it('Every file of docs and its guides is a page with a table of contents, without inline scripts and styles', async () => {
  const files = [...(await readdir(`${REPOSITORY}docs`)), ...(await readdir(`${REPOSITORY}docs/guides`))];
  const list = pages.get('/docs/guides')!;
  for (const file of files.filter((one) => one.endsWith('.md') && one !== 'README.md')) {
    const address = `/docs/guides/${file.slice(0, -3)}`;
    expect(list).toContain(`href="${address}"`);
    const html = pages.get(address)!;
    expect(html).toContain('<h1');
    expect(html).toContain('All guides');
  }
  for (const [address, html] of pages) {
    expect(html, address).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+="/);
    expect(html, address).toContain(`Version ${packageJson.version}<`);
    expect(new Set(idsOf(html)).size, `ids of ${address}`).toBe(idsOf(html).length);
  }
});

describe('a guide', () => {
  const known = new Map([
    ['docs/keys.md', 'keys'],
    ['docs/guides/first.md', 'first'],
  ]);
  const htmlOf = (text: string) => readGuide('docs/guides/first.md', `# First\n\n${text}`, known).html;

  it.each([
    ['[keys](../keys.md#scopes)', '<a href="/docs/guides/keys#scopes">keys</a>'],
    ['[here](#below)', '<a href="#below">here</a>'],
    ['[out](https://example.org/?a=1&b=2)', '<a href="https://example.org/?a=1&amp;b=2">out</a>'],
    ['[document](../openapi.json)', '<a href="/v1/openapi.json">document</a>'],
    ['![Page](../pictures/page.png)', '<img src="/docs/pictures/page.png" alt="Page">'],
    ['[why](../decisions/0001-x.md) so', '<p>why so</p>'],
    ['[`source`](../../deploy/evaluator)', '<p><code>source</code></p>'],
  ])('%s becomes %s', (text, html) => {
    expect(htmlOf(text)).toContain(html);
  });

  it('has anchors like those of GitHub', () => {
    expect(htmlOf('## A full disk, `and` more\n\n## A full disk, and more')).toMatch(
      /id="a-full-disk-and-more"[\s\S]*id="a-full-disk-and-more-1"/,
    );
  });

  it('has a title', () => {
    expect(() => readGuide('docs/keys.md', 'text', known)).toThrow('docs/keys.md has no title');
  });
});

it.each([
  [
    { type: ['string', 'null'], minLength: 1, maxLength: 96 },
    'string or null, at least 1 character, at most 96 characters',
  ],
  [{ anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'null' }] }, 'number, above 0 or null'],
  [
    { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 2 },
    'array of integer, at least 0, 2 items',
  ],
  [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 'integer, at least 1'],
  [{ type: 'string', enum: ['a<b', 'c'] }, '<code>&quot;a&lt;b&quot;</code> or <code>&quot;c&quot;</code>'],
  [{ $ref: '#/components/schemas/Model' }, '<a href="#schema-Model">Model</a>'],
])('The reference calls %j %s', (schema, words) => {
  expect(typeOf(schema)).toBe(words);
});
