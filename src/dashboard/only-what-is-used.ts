/**
 * For the build: the client has a route for every operation, a class for every kind of error, and checks for programs that are written by
 * hand. The page, whose calls the compiler checks, gets the routes and classes that its sources name; other errors are a BacksolveError.
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

interface Plugin {
  readonly name: string;
  readonly enforce: 'pre';
  buildStart(): Promise<void>;
  transform(code: string, id: string): { readonly code: string; readonly map: null } | null;
}

/** @param folder  of the sources of the page */
export function onlyWhatIsUsed(folder: string): Plugin {
  let used: ReadonlySet<string> = new Set();
  return {
    name: 'only-what-is-used',
    enforce: 'pre',
    async buildStart() {
      const names = await readdir(folder, { recursive: true });
      const sources = names
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => readFileSync(join(folder, name), 'utf8'));
      if (sources.some((source) => LINES_ARE_READ.test(source)))
        throw new Error('the page reads lines now: keep LINES');
      used = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []));
    },
    transform(code, id) {
      const changed = trim(code, id.replaceAll('\\', '/'), used);
      return changed === undefined ? null : { code: changed, map: null };
    },
  };
}

/** Throws where a file of the client no longer has the form that is looked for, so that nothing is kept unnoticed. */
function trim(code: string, id: string, used: ReadonlySet<string>): string | undefined {
  const keep = (whole: string, name: string) => (used.has(name) ? whole : '');
  if (id.endsWith('/generated/routes.ts')) return replaced(code, id, [ROUTE], keep);
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
