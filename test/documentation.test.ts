/**
 * Every fenced block of README.md, docs/ and docs/guides/ is held by a test. Shell commands are played by
 * scenario/documented-commands, or with the files that a guide has the reader write by scenario/guides.test.ts. Requests and JSON
 * are checked here against the OpenAPI document, problem files against the rules of the service. A block that nothing holds fails.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { validate } from 'node-cron';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { installPages } from '../harness/release/install-lines.ts';
import { checkDefinition } from '../src/composing/check-definition.ts';
import { buildOpenApiDocument } from '../src/http/openapi.ts';
import { checkProblemFile } from '../src/runner/check-problem.ts';
import { isPlayedAlone, isPlayedByPython, isPrinted, isWritten } from './support/doc-blocks.ts';
import { blocksOf, type DocBlock, readPages } from './support/doc-commands.ts';
import { FOREIGN_FILES } from './support/foreign-cases.ts';
import { findBareComments } from './support/vocabulary.ts';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
}

const DEFINITIONS = '#/$defs/';
// zod looks for definitions there.
const document = JSON.parse(
  JSON.stringify(buildOpenApiDocument()).replaceAll('#/components/schemas/', DEFINITIONS),
) as OpenApi;

/** JSON that is no body of a request: configurations of other programs, and arguments of tools. */
const OTHER_JSON = ['configuration', 'tool'];
/** Blocks of these languages are read by tests that name the page. */
const BY_TESTS_OF_THE_PAGE = ['json', 'python', 'js', 'javascript', 'ts', 'typescript', 'bash', 'text', 'mermaid'];
/**
 * Statements for administrators of PostgreSQL, of which test/cli/restricted-role.test.ts runs the role; languages that the tests do not
 * bring along; and a line that test/outside/webhooks/sign.test.ts has in a form of its own.
 */
const NOT_RUN: readonly (readonly [page: string, language: string])[] = [
  ['docs/operations.md', 'sql'],
  ['docs/storage.md', 'sql'],
  ['docs/webhooks.md', 'js'],
  ['docs/clients.md', 'php'],
  ['docs/clients.md', 'csharp'],
];

const pages = await readPages();
/** The package of the client cannot be published as long as it is private. */
const arePackagesPublished =
  (JSON.parse(await readFile('clients/typescript/package.json', 'utf8')) as { private?: boolean }).private !== true;
const testTexts = await readTests();

/** Without those that name pages for other reasons. */
async function readTests(): Promise<readonly string[]> {
  const names = (await readdir('test', { recursive: true })).filter(
    (name) => name.endsWith('.test.ts') && !/^(documentation\.test\.ts$|scenario.documented-commands\b)/.test(name),
  );
  return Promise.all(names.map((name) => readFile(path.join('test', name), 'utf8')));
}

/** Fault of the block; undefined if a test holds it. */
function findFault(block: DocBlock): Promise<string | undefined> | string | undefined {
  const { language, info, page, text } = block;
  if (isPlayedByPython(page)) return undefined;
  if (language === 'sh') return undefined;
  if (isWritten(block)) return undefined;
  if (isPrinted(block))
    return pages.some((one) => one.path === page && isPlayedAlone(one)) ? undefined : 'is not played';
  if (language === '')
    return /^\s*(curl|npx|docker|export|import|(POST|GET|PUT|PATCH|DELETE) \/)|^[{["]/m.test(text)
      ? 'is code without a language'
      : undefined;
  if (language === 'json' && !OTHER_JSON.includes(info))
    return info === 'event' ? faultOfEvent(text) : faultOfJson(text, info);
  if (language === 'http')
    return requestsIn(text)
      .map(faultOfRequest)
      .find((fault) => fault !== undefined);
  if (language === 'bash' && info === 'requests')
    return callsIn(text)
      .map(faultOfRequest)
      .find((fault) => fault !== undefined);
  if (language === 'bash' && info === 'commands') return faultOfCommands(text);
  if (language === 'cron') return faultOfCron(text);
  if (language === 'yaml') return faultOfProblem(text);
  if (NOT_RUN.some(([file, one]) => file === page && one === language)) return undefined;
  if (!BY_TESTS_OF_THE_PAGE.includes(language)) return `has the unknown language ${language}`;
  return testTexts.some((one) => one.includes(path.basename(page))) ? undefined : 'is named by no test';
}

function schemaOf(name: string, isPart = false): z.ZodType {
  const definition = document.components.schemas[name];
  if (definition === undefined) throw new Error(`The OpenAPI document has no schema ${name}.`);
  const definitions = document.components.schemas;
  const whole = isPart ? { ...definition, required: [] } : definition;
  return z.fromJSONSchema({ $ref: `${DEFINITIONS}Wanted`, $defs: { ...definitions, Wanted: whole } } as never);
}

function faultOfBody(schema: z.ZodType, text: string): string | undefined {
  const trimmed = text.trim();
  const { error } = schema.safeParse(JSON.parse(trimmed.startsWith('{') ? trimmed : `{${trimmed}}`));
  return error === undefined ? undefined : z.prettifyError(error);
}

function faultOfJson(text: string, info: string): string | undefined {
  const name = /^(part of )?(\w+)$/.exec(info);
  return name === null
    ? 'does not say which schema it has'
    : faultOfBody(schemaOf(name[2]!, name[1] !== undefined), text);
}

function faultOfEvent(text: string): string | undefined {
  const { name } = JSON.parse(text) as { readonly name: string };
  return faultOfBody(schemaOf('NewWebhook'), JSON.stringify({ url: 'https://example.com', events: [name] }));
}

interface Request {
  readonly method: string;
  /** Below /v1. */
  readonly path: string;
  readonly body: string | undefined;
}

/** `POST /v1/...`, headers, and the body below them. */
function requestsIn(text: string): readonly Request[] {
  return text.split(/^(?=(?:GET|POST|PUT|PATCH|DELETE) )/m).map((part) => {
    const [, method, where] = /^(\w+) \/v1(\S+)/.exec(part)!;
    const body = /^\{[\s\S]*/m.exec(part)?.[0];
    return { method: method!, path: where!, body };
  });
}

function callsIn(text: string): readonly Request[] {
  const calls = text.split(/^(?=curl )/m).filter((part) => part.startsWith('curl '));
  return calls.map((part) => {
    const body = / -d '([^']*)'/.exec(part)?.[1];
    const method = / -X (\w+)/.exec(part)?.[1] ?? (body === undefined ? 'GET' : 'POST');
    return { method, path: /\$URL\/v1([^\s"?]*)/.exec(part)![1]!, body };
  });
}

function faultOfRequest({ method, path: where, body }: Request): string | undefined {
  const isAsked = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '(\\d+|\\{\\w+\\})')}$`).test(where);
  const found = Object.entries(document.paths).find(([template]) => isAsked(template));
  const operation = found?.[1][method.toLowerCase()];
  if (operation === undefined) return `${method} ${where} is no operation`;
  const schema = operation.requestBody?.content['application/json']?.schema.$ref;
  if (body === undefined) return undefined;
  return schema === undefined
    ? `${method} ${where} takes no body`
    : faultOfBody(schemaOf(schema.slice(DEFINITIONS.length)), body);
}

/** Bash has to read them; their programs run on and on, or need a service elsewhere. */
function faultOfCommands(text: string): string | undefined {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 ? undefined : stderr;
}

function faultOfCron(text: string): string | undefined {
  for (const line of text.trimEnd().split('\n')) {
    if (/^\w+=\S+$/.test(line)) continue;
    const [, when, command] = /^((?:\S+\s+){4}\S+)\s+(.*)$/.exec(line) ?? [];
    if (when === undefined || !validate(when)) return `is no line of cron: ${line}`;
    const fault = faultOfCommands(command!.replaceAll('\\%', '%'));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A part of a problem file is completed. */
async function faultOfProblem(text: string): Promise<string | undefined> {
  const parts = [
    ['inputs', 'inputs:\n  x: {minimum: 0, maximum: 1}\n'],
    ['outputs', 'outputs:\n  y: {below: 1}\n'],
    ['command', 'command: [node]\n'],
  ] as const;
  const has = (key: string) => new RegExp(`^${key}:`, 'm').test(text);
  const missing = parts.filter(([key]) => !has(key) && !(key === 'command' && ['evaluator', 'fmu', 'pest'].some(has)));
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-documentation-'));
  try {
    const file = path.join(folder, 'checked.yaml');
    await writeFile(file, [text, ...missing.map(([, part]) => part)].join(''));
    for (const data of ['level.csv', 'cold.csv', 'warm.csv']) {
      await writeFile(path.join(folder, data), 'time,level\n0,2\n1,1\n');
    }
    for (const [name, content] of Object.entries(FOREIGN_FILES)) await writeFile(path.join(folder, name), content);
    // A model in a file, of which the page has none, says nothing of itself.
    const python = path.join(folder, 'python');
    await writeFile(python, `#!${process.execPath}\nconsole.log('{}');\n`, { mode: 0o755 });
    const where = { home: folder, workFolder: folder, environment: { BACKSOLVE_PYTHON: python } };
    await checkProblemFile(file, {}, checkDefinition, where);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(pages)('every block of $path is held by a test', async (page) => {
  const faults: string[] = [];
  for (const block of blocksOf(page)) {
    const fault = await findFault(block);
    if (fault !== undefined) faults.push(`${page.path}:${block.line}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

/** Routes of the page and its sessions, which are no part of the interface. */
const OTHER_ROUTES = ['/session'];
const dialect = JSON.parse(await readFile('docs/openapi-sdk.json', 'utf8')) as OpenApi;

/**
 * Operations that a sentence names, such as `PUT .../inverses/{id}/output`: whole from /v1 or /api on, else as the end of a path.
 */
function faultOfMention(method: string, mentioned: string): string | undefined {
  const [where] = mentioned.split('?');
  const [, prefix = '', rest = ''] = /^(\/v1|\/api|\.\.\.|)(\/.*)$/.exec(where!) ?? [];
  if (OTHER_ROUTES.includes(where!)) return undefined;
  const isWhole = prefix === '/v1' || prefix === '/api';
  const wanted = rest
    .split('/')
    .map((part) => (/^(\{\w+\}|\d+)$/.test(part) ? '\\{\\w+\\}' : part.replaceAll('.', '\\.')));
  const ending = new RegExp(`${isWhole ? '^' : ''}${wanted.join('/')}$`);
  const { paths } = prefix === '/api' ? dialect : document;
  const isThere = Object.entries(paths).some(([template, operations]) => {
    return ending.test(template) && method.toLowerCase() in operations;
  });
  return isThere ? undefined : 'is no operation';
}

test('Every operation that a sentence names is one of the interface', () => {
  const mentions = pages.flatMap((page) =>
    [...page.text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) ([^`\s]+)`/g)].map(([text, method, where]) => ({
      at: `${page.path}: ${text}`,
      fault: faultOfMention(method!, where!),
    })),
  );
  expect(mentions.length).toBeGreaterThan(80);
  expect(mentions.filter(({ fault }) => fault !== undefined)).toEqual([]);
});

test('a block is refused that nothing holds, or that is wrong', async () => {
  const faultOf = (language: string, info: string, text: string) =>
    findFault({ page: 'docs/new.md', line: 1, language, info, text });
  expect(await faultOf('python', '', 'print(1)\n')).toBe('is named by no test');
  expect(await faultOf('cobol', '', 'STOP RUN.\n')).toContain('unknown language');
  expect(await faultOf('', '', 'curl http://localhost\n')).toBe('is code without a language');
  expect(await faultOf('json', 'NewModel', '{"nam": "x"}\n')).toContain('nam');
  expect(await faultOf('json', '', '{}\n')).toContain('which schema');
  expect(await faultOf('http', '', 'POST /v1/modles\n{"name": "abcd"}\n')).toContain('is no operation');
  expect(await faultOf('http', '', 'POST /v1/models\n{"nam": "abcd"}\n')).toContain('nam');
  expect(await faultOf('cron', '', '0 25 * * * true\n')).toContain('no line of cron');
  expect(await faultOf('yaml', '', 'outputs:\n  y: {belwo: 1}\n')).toContain('below');
  expect(await faultOf('text', 'printed', 'Solved\n')).toBe('is not played');
});

test('the index of the decisions lists every page by its title', async () => {
  const folder = 'docs/decisions';
  const pageNames = (await readdir(folder)).filter((name) => /^\d{4}-.*\.md$/.test(name)).sort();
  const rows = pageNames.map(async (name) => {
    const [, title] = /^# \d+\. (.*)$/m.exec(await readFile(path.join(folder, name), 'utf8'))!;
    return `| [${name.slice(0, 4)}](${name}) | ${title} |`;
  });
  const index = await readFile(path.join(folder, 'README.md'), 'utf8');
  const listed = Array.from(index.matchAll(/^\| \[.*?\) \| .*? \|/gm), ([row]) => row);
  expect(listed).toEqual(await Promise.all(rows));
});

/** Commands that would fetch from a registry: `pip install backsolve`, `npx --yes backsolve`, `npm install backsolve-client`. */
const FROM_REGISTRY =
  /\b(?:(?:pip3?|pipx|uv|poetry|npm|pnpm|yarn)\s+(?:pip\s+)?(?:install|i|add|run)|uvx|npx\s+(?:-y|--yes|-p))\b(?:\s+[^\s`#]+)*?\s+['"]?backsolve(?:-client)?(?:\[[\w,]+\]|[=<>~@][^\s`]*)?['"]?(?=[\s`]|$)/;
/** A folder outside the clone, in which npx looks for the command in the registry. */
const NPX_ELSEWHERE = /\bcd (?!\S*\/backsolve\b)\S+ && .*npx backsolve/;

/** From what the clone has built, which the page says how to do. */
const FROM_CLONE = /pip install --find-links dist /;
const BUILT = /npm run package/;

test('the pages say how to install Backsolve as long as it is not released, and after it is', () => {
  for (const [page, text] of Object.entries(installPages('.')))
    expect(readFileSync(page, 'utf8'), `${page}: run npx node harness/release/install-lines.ts`).toBe(text);
});

test.skipIf(arePackagesPublished)(
  'no page installs a package that is not published without saying how to build it',
  async () => {
    const clients = ['clients/python/README.md', 'clients/typescript/README.md'];
    const texts = await Promise.all(clients.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
    const promises = [...pages, ...texts].flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => {
        const isRun = !/npm run backsolve/.test(line) && !(FROM_CLONE.test(line) && BUILT.test(text));
        return (isRun && FROM_REGISTRY.test(line)) || NPX_ELSEWHERE.test(line) ? [`${path}:${i + 1}: ${line}`] : [];
      }),
    );
    expect(promises).toEqual([]);
  },
);

test.each([
  'pip install backsolve optuna',
  'pip install optuna backsolve',
  "pip install 'backsolve[plot]'",
  "pip install 'backsolve[local,optuna]'",
  'uv pip install backsolve==1.0',
  'uvx backsolve',
  'Install it: `npm install backsolve-client`.',
  'npx --yes backsolve demo',
])('%s needs a registry', (line) => {
  expect(line).toMatch(FROM_REGISTRY);
});

test.each([
  "pip install 'path/to/backsolve/clients/python[plot]'",
  'pip install ./clients/python optuna   # in a clone of Backsolve, after npm ci',
  'npm install ../path/to/backsolve-client-0.1.0.tgz',
  'npx backsolve demo',
  'git clone https://github.com/backsolve/backsolve',
])('%s does not', (line) => {
  expect(line).not.toMatch(FROM_REGISTRY);
});

const COMMENTED = [
  'src/**/*.{ts,tsx}',
  'clients/typescript/{src,examples}/**/*.ts',
  'clients/python{,-service}/{src,tests,examples}/**/*.py',
  '{bench,harness,test,tools}/**/*.{ts,tsx,py}',
];
const NOT_WRITTEN_HERE = /node_modules|[/_]generated|[/]fixtures[/]/;

test('every comment begins with a noun or a verb', () => {
  const paths = globSync(COMMENTED).filter((one) => !NOT_WRITTEN_HERE.test(one));
  expect(paths.length).toBeGreaterThan(1500);
  expect(paths.flatMap((one) => findBareComments(one, readFileSync(one, 'utf8')))).toEqual([]);
});

test.each([
  ['a.ts', '/** Of the account. */\nconst limit = 1;', 1],
  ['a.ts', '\n  /**\n   * Whose key it is.\n   */\n', 2],
  ['a.ts', 'call(); // When it is over.', 1],
  ['a.tsx', 'const view = <p>{/* What people read. */}</p>;', 1],
  ['a.py', 'def f():\n    """How far it goes."""', 2],
  ['a.py', '"""\nWhich one counts.\n"""', 1],
  ['a.py', '# Where it is.', 1],
])('a comment that begins with a bare word is found: %s %j', (name, source, line) => {
  const found = findBareComments(name, source);
  expect(found).toEqual([expect.stringMatching(`^${name}:${line}: "(Of|Whose|When|What|How|Which|Where)" begins`)]);
});

test.each([
  ['a.ts', '/** Whether it counts. */'],
  ['a.ts', '// The first line of a comment\n// What goes on below it.'],
  ['a.ts', "const text = '// Of the account.';"],
  ['a.tsx', 'const view = <p>// What people read</p>;'],
  ['a.py', '# The first line of a comment\n# What goes on below it.'],
  ['a.py', 'text = "Of the account."'],
])('other comments and texts are left alone: %s %j', (name, source) => {
  expect(findBareComments(name, source)).toEqual([]);
});
