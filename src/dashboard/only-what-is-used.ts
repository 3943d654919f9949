/**
 * For the build: the client has a route for every operation, a class for every kind of error, and checks for programs that are written by
 * hand. The page, whose calls the compiler checks, gets the routes and classes that its sources name; other errors are a BacksolveError.
 * Routes that only views for teams name are loaded with these.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const ROUTE = /^ {2}(\w+): \{ method: .*\},\n/gm;
const ERROR_CLASS = /\/\*\*[^/]*\*\/\nexport class (\w+) extends BacksolveError \{\n[^}]*\}\n/g;
const ERROR_ENTRY = /^ {2}'[\w-]+': (\w+),\n/gm;
const NAME_CHECK = /export function refuseUnknownNames\([\s\S]*/g;
/** The page comes from the service that it calls. */
const VERSION_CHECK = /export function refuseVersion\([\s\S]*/g;
/** Exports are lines of JSON, which the page does not read. */
const LINES = /^ {2}async \*lines\([\s\S]*?\n {2}\}\n/gm;
const LINES_ARE_READ = /service\.lines\(/;

/** Views for teams, which are a file of their own: whoever works alone needs no people, links, keys or webhooks. */
export const TEAM =
  /views.(?:people|accept|sign-in|links|notes.(?!notes-on-demand)|files)|administration.(?:keys|webhooks)|team-routes/;
const TEAM_ROUTES = '\0team-routes';

interface Plugin {
  readonly name: string;
  readonly enforce: 'pre';
  buildStart(): Promise<void>;
  resolveId(id: string): string | null;
  load(id: string): string | null;
  transform(code: string, id: string): { readonly code: string; readonly map: null } | null;
}

/** From the sources of the page. */
const ROUTES_FILE = '../../clients/typescript/src/generated/routes.ts';

interface Used {
  /** Words of all sources. */
  readonly anywhere: ReadonlySet<string>;
  /** Names that the other views use. */
  readonly byOthers: ReadonlySet<string>;
}

/** @param folder  of the sources of the page */
export function onlyWhatIsUsed(folder: string): Plugin {
  let used: Used = { anywhere: new Set(), byOthers: new Set() };
  return {
    name: 'only-what-is-used',
    enforce: 'pre',
    async buildStart() {
      const names = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
      const sources = names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
      if (sources.some(({ text }) => LINES_ARE_READ.test(text)))
        throw new Error('the page reads lines now: keep LINES');
      const wordsOf = (of: typeof sources) => new Set(of.flatMap(({ text }) => text.match(/\w+/g) ?? []));
      used = { anywhere: wordsOf(sources), byOthers: wordsOf(sources.filter(({ name }) => !TEAM.test(name))) };
    },
    resolveId: (id) => (id === TEAM_ROUTES ? id : null),
    load: (id) => (id === TEAM_ROUTES ? teamRoutes(join(folder, ROUTES_FILE), used) : null),
    transform(code, id) {
      const path = id.replaceAll('\\', '/');
      const isOfTeam = /\.tsx?$/.test(path) && path.includes('/dashboard/') && TEAM.test(path);
      const changed = isOfTeam ? `import ${JSON.stringify(TEAM_ROUTES)};\n${code}` : trim(code, path, used);
      return changed === undefined ? null : { code: changed, map: null };
    },
  };
}

/** Adds the routes that the views for teams need to the table of the client. */
function teamRoutes(file: string, { anywhere, byOthers }: Used): string {
  const routes = Array.from(readFileSync(file, 'utf8').matchAll(ROUTE), ([entry, name]) => ({
    entry,
    name: name!,
  }));
  const own = routes.filter(({ name }) => anywhere.has(name) && !byOthers.has(name));
  return `import { ROUTES } from ${JSON.stringify(file)};\nObject.assign(ROUTES, {\n${own.map(({ entry }) => entry).join('')}});\n`;
}

/** Throws where a file of the client no longer has the form that is looked for, so that nothing is kept unnoticed. */
function trim(code: string, id: string, { anywhere, byOthers }: Used): string | undefined {
  const keepIn = (used: ReadonlySet<string>) => (whole: string, name: string) => (used.has(name) ? whole : '');
  const keep = keepIn(anywhere);
  if (id.endsWith('/generated/routes.ts')) return replaced(code, id, [ROUTE], keepIn(byOthers));
  if (id.endsWith('/generated/problems.ts')) return replaced(code, id, [ERROR_CLASS, ERROR_ENTRY], keep);
  if (id.endsWith('/typescript/src/client.ts')) return replaced(code, id, [LINES], () => '');
  if (id.endsWith('/typescript/src/versions.ts'))
    return replaced(code, id, [VERSION_CHECK], () => 'export function refuseVersion() {}');
  if (!id.endsWith('/typescript/src/known-names.ts')) return undefined;
  return replaced(code, id, [NAME_CHECK], () => 'export function refuseUnknownNames() {}');
}

function replaced(
  code: string,
  id: string,
  patterns: readonly RegExp[],
  keep: (whole: string, name: string) => string,
): string {
  return patterns.reduce((text, pattern) => {
    if (text.search(pattern) < 0) throw new Error(`${id} has changed: look for ${pattern}`);
    return text.replace(pattern, keep);
  }, code);
}
