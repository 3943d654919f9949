/**
 * Builds the pages below /docs: the reference of each interface and the guides, as HTML, and a page per interface on which a library
 * sends requests. Nothing in them is inline, nothing comes from another host.
 */
import { createHash } from 'node:crypto';
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { addressOf, escapeHtml, type Guide, readGuide } from './render-guide.ts';
import { operationAnchor, type Reference, renderReference } from './render-reference.ts';
import { buildSearchIndex } from './search-index.ts';

const STYLES = 'src/dashboard/styles';
const SCRIPTS = 'src/dashboard/docs';

interface Assets {
  readonly icon: string;
  readonly theme: string;
  readonly library: string;
  readonly reference: string;
  readonly tryIt: string;
  readonly tryItStyle: string;
  readonly guideStyle: string;
  readonly search: string;
  readonly searchIndex: string;
}

/** `root` is the repository, `target` a folder that does not exist yet. Rejects with the fault in a guide. */
export async function buildDocs(root: string, target: string): Promise<void> {
  await mkdir(join(target, 'guides'), { recursive: true });
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const guides = await readGuides(root);
  const assets = await writeAssets(root, join(target, 'assets'), guides);
  for (const one of REFERENCES) await writeReference(one, { root, target, version, assets });
  const head = `<link rel="stylesheet" href="${assets.guideStyle}">`;
  for (const guide of guides) {
    const path = addressOf(guide.name);
    const body = `<div class="guide">${contents(guides, guide)}<main id="main" tabindex="-1">${guide.html}</main></div>`;
    await writeFile(
      join(target, 'guides', `${guide.name === '' ? 'index' : guide.name}.html`),
      frame({ title: guide.title, path, head, body, version, assets }),
    );
  }
  await cp(join(root, 'docs/pictures'), join(target, 'pictures'), { recursive: true });
}

interface ReferenceSource {
  /** The OpenAPI document in the repository, and where it is served. */
  readonly file: string;
  readonly json: string;
  readonly title: string;
  /** Address of its list; its pages are below `folder`, and `tryAt` is the page that sends requests. */
  readonly path: string;
  readonly folder: string;
  readonly tryAt: string;
  /** The built files of the list and of the page that sends requests. */
  readonly list: string;
  readonly tryIt: string;
}

const REFERENCES: readonly ReferenceSource[] = [
  {
    file: 'docs/openapi.json',
    json: '/v1/openapi.json',
    title: 'Reference',
    path: '/docs',
    folder: '/docs/v1',
    tryAt: '/docs/try',
    list: 'index.html',
    tryIt: 'try.html',
  },
  {
    file: 'docs/openapi-sdk.json',
    json: '/api/openapi.json',
    title: 'Reference for existing client libraries',
    path: '/docs/api',
    folder: '/docs/api',
    tryAt: '/docs/api/try',
    list: 'api.html',
    tryIt: 'api/try.html',
  },
];

interface Place {
  readonly root: string;
  readonly target: string;
  readonly version: string;
  readonly assets: Assets;
}

async function writeReference(source: ReferenceSource, { root, target, version, assets }: Place): Promise<void> {
  const { file, title, path, folder, tryAt, json } = source;
  const reference = renderReference(JSON.parse(await readFile(join(root, file), 'utf8')), { folder, tryAt, json });
  const below = join(target, folder.replace('/docs/', ''));
  await mkdir(below, { recursive: true });
  const write = (to: string, parts: Omit<FrameParts, 'version' | 'assets'>) =>
    writeFile(to, frame({ ...parts, version, assets }));
  const style = `<link rel="stylesheet" href="${assets.guideStyle}">`;
  await write(join(target, source.list), {
    title,
    path,
    head: `${style}<script src="${assets.reference}" defer></script>`,
    body: `<div class="guide">${tagsOf(reference, folder)}<main id="main" tabindex="-1" data-folder="${folder}">${reference.list}</main></div>`,
  });
  for (const page of reference.pages) {
    await write(join(below, `${page.name}.html`), {
      title: page.title,
      path,
      head: style,
      body: `<div class="guide">${tagsOf(reference, folder, page.name)}<main id="main" tabindex="-1">${page.html}</main></div>`,
    });
  }
  const noScript = `<noscript><p class="notice">Sending requests needs JavaScript. The <a href="${path}">reference</a> does not.</p></noscript>`;
  await write(join(target, source.tryIt), {
    title: 'Send requests',
    path: tryAt,
    head: `<link rel="stylesheet" href="${assets.tryItStyle}">
<script src="${assets.library}" defer></script>
<script src="${assets.tryIt}" defer></script>`,
    body: `${noScript}<div id="reference" data-document="${json}" tabindex="-1"></div>`,
  });
}

/** Beside a page of the reference: its operations, then all tags. */
function tagsOf({ pages }: Reference, folder: string, current?: string): string {
  const here = pages.find(({ name }) => name === current);
  const own = here?.operations.map(
    (one) => `<li><a href="#${escapeHtml(operationAnchor(one))}">${escapeHtml(one.summary)}</a></li>`,
  );
  const onThis =
    own === undefined
      ? ''
      : `<nav aria-label="On this page"><h2>On this page</h2><ul>${own.join('')}<li><a href="#objects">Objects</a></li></ul></nav>`;
  const all = pages.map(
    ({ name, title }) =>
      `<li><a href="${folder}/${name}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`,
  );
  return `<div class="beside">${onThis}<nav aria-label="Sections"><h2>Sections</h2><ul>${all.join('')}</ul></nav></div>`;
}

/** Lists the guides in their reading order. */
const LIST = 'docs/guides/README.md';

/** The list first, then the guides in its order, then the reference pages, by title. */
async function readGuides(root: string): Promise<readonly Guide[]> {
  const files: string[] = [];
  for await (const file of glob(['docs/guides/*.md', 'docs/*.md'], { cwd: root })) files.push(file);
  const known = new Map(files.map((file) => [file, file === LIST ? '' : basename(file, '.md')]));
  if (new Set(known.values()).size < files.length) throw new Error(`two guides have the same name: ${files}`);
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  const guides = files.map((file, i) => readGuide(file, texts[i]!, known));
  const list = texts[files.indexOf(LIST)] ?? '';
  const place = ({ name, isTour }: Guide): number => {
    if (name === '') return -1;
    if (!isTour) return Number.POSITIVE_INFINITY;
    const at = list.indexOf(`](${name}.md)`);
    if (at < 0) throw new Error(`${LIST} does not name ${name}.md`);
    return at;
  };
  const inOrder = (a: Guide, b: Guide) => {
    const [first, second] = [place(a), place(b)];
    return first === second ? a.title.localeCompare(b.title, 'en') : first - second;
  };
  return guides.sort(inOrder);
}

/** Returns their addresses. */
async function writeAssets(root: string, folder: string, guides: readonly Guide[]): Promise<Assets> {
  await mkdir(folder);
  const write = async (name: string, ending: string, text: string): Promise<string> => {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
    await writeFile(join(folder, `${name}-${hash}.${ending}`), text);
    return `/docs/assets/${name}-${hash}.${ending}`;
  };
  const styles = async (files: readonly string[]): Promise<string> =>
    (await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))).join('\n');
  const script = async (name: string): Promise<string> => {
    const { transformWithOxc } = await import('vite');
    const file = join(root, SCRIPTS, `${name}.ts`);
    return (await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false })).code;
  };
  const document = JSON.parse(await readFile(join(root, 'docs/openapi.json'), 'utf8'));
  const framed = [`${STYLES}/tokens.css`, `${STYLES}/frame.css`, `${SCRIPTS}/docs.css`];
  return {
    icon: await write('icon', 'svg', await readFile(join(root, 'src/dashboard/icon.svg'), 'utf8')),
    theme: await write('theme', 'js', await script('theme')),
    library: await write('library', 'js', await readLibrary()),
    reference: await write('reference', 'js', await bundle(join(root, SCRIPTS, 'reference.ts'))),
    tryIt: await write('try-it', 'js', await bundle(join(root, SCRIPTS, 'try-it.ts'))),
    tryItStyle: await write('try-it', 'css', await styles([...framed, `${SCRIPTS}/try-it.css`])),
    guideStyle: await write('guide', 'css', await styles([...framed, `${STYLES}/base.css`, `${SCRIPTS}/guide.css`])),
    search: await write('search', 'js', await bundle(join(root, SCRIPTS, 'search.ts'))),
    searchIndex: await write('search', 'json', buildSearchIndex(guides, document)),
  };
}

/** The script with its imports. */
async function bundle(file: string): Promise<string> {
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'es2022', lib: { entry: file, formats: ['iife'], name: 'documentation' } },
  });
  const [{ output }] = built as unknown as readonly [{ readonly output: readonly [{ readonly code: string }] }];
  return output[0].code;
}

/** The library as one script for browsers, which its package hands out only through the plugin that serves it. */
async function readLibrary(): Promise<string> {
  const [{ default: Fastify }, { default: plugin }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const app = Fastify();
  await app.register(plugin, { routePrefix: '/docs', configuration: { url: '/v1/openapi.json' } });
  const { statusCode, body } = await app.inject('/docs/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`the package of the reference answers ${statusCode} instead of its script`);
  return `${WITHOUT_EVAL}\n${body}`;
}

/** The library checks data with zod, which otherwise tries to compile code from text: the policy forbids that and reports it. */
const WITHOUT_EVAL = 'globalThis.__zod_globalConfig = { jitless: true };';

interface FrameParts {
  readonly title: string;
  /** Address of the page. */
  readonly path: string;
  /** HTML, like `body`. */
  readonly head: string;
  readonly body: string;
  readonly version: string;
  readonly assets: Assets;
}

const NAVIGATION = [
  ['/docs', 'Reference'],
  ['/docs/api', 'Existing clients'],
  ['/docs/guides', 'Guides'],
] as const;

/** A whole page. Its top is not a header element: on phones the library of the reference has its own. */
function frame({ title, path, head, body, version, assets }: FrameParts): string {
  const links = NAVIGATION.map(([to, text]) => {
    const isCurrent = to === '/docs' ? path === to : path.startsWith(to);
    return `<a href="${to}"${isCurrent ? ' aria-current="page"' : ''}>${text}</a>`;
  });
  return `<!doctype html>
<html lang="en" data-theme="system">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – Backsolve ${version}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<script src="${assets.theme}"></script>
<script src="${assets.search}" defer></script>
${head}
</head>
<body>
<a class="skip" href="#${body.includes('id="main"') ? 'main' : 'reference'}">Skip to the content</a>
<div class="top" role="region" aria-label="Backsolve">
<a class="brand" href="/page">Backsolve</a>
<nav aria-label="Documentation">${links.join('')}<a href="/page">Page</a></nav>
<form id="search" role="search" data-index="${assets.searchIndex}" hidden><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" enterkeyhint="search" aria-controls="found" aria-keyshortcuts="/"></form>
<div class="top-end"><span class="version">Version ${version}</span>
<select id="theme" class="quiet" aria-label="Colours" hidden><option value="system">As the system</option><option value="light">Light</option><option value="dark">Dark</option></select></div>
<section id="found" aria-label="Found" hidden><p role="status"></p><ol></ol></section>
</div>
${body}
</body>
</html>
`;
}

/** Beside a guide: its headings, then the other guides. Beside the list of guides: the pages that it does not name. */
function contents(guides: readonly Guide[], { name, headings }: Guide): string {
  const own = headings.map(
    ({ id, html, level }) => `<li class="level-${level}"><a href="#${escapeHtml(id)}">${html}</a></li>`,
  );
  const here =
    own.length === 0 ? '' : `<nav aria-label="On this page"><h2>On this page</h2><ul>${own.join('')}</ul></nav>`;
  const lookUp = links(
    'Look up',
    guides.filter(({ isTour }) => !isTour),
    name,
  );
  if (name === '') return `<div class="beside"><nav aria-label="Look up">${lookUp}</nav></div>`;
  const walkThrough = links(
    'Walk through',
    guides.filter(({ isTour }) => isTour),
    name,
  );
  return `<div class="beside">${here}<nav aria-label="Guides"><details><summary>All guides</summary>${walkThrough}${lookUp}</details></nav></div>`;
}

function links(title: string, guides: readonly Guide[], current: string): string {
  const items = guides.map(
    ({ name, title: text }) =>
      `<li><a href="${addressOf(name)}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`,
  );
  return `<h2>${title}</h2><ul>${items.join('')}</ul>`;
}
