/** Locates the files of this installation: a clone, which runs its sources, or a package, which runs what was built from them. */
import packageJson from '../package.json' with { type: 'json' };

export const VERSION = packageJson.version;

/** The folder with `migrations`, `fonts` and `dist/page`. A package has its modules in a single folder beside them. */
export const ROOT = new URL('../', import.meta.url);

export const IS_BUILT = import.meta.url.endsWith('.js');

/** A module that a process or a thread starts with, given its source relative to src, such as engine/cached-entry.ts. */
export function entryModule(source: string): URL {
  const name = IS_BUILT ? source.replace(/^.*\//, '').replace(/\.ts$/, '.js') : source;
  return new URL(`./${name}`, import.meta.url);
}

/** Versions of everything that computes here. Suggestions follow from these and from what they are computed from alone. */
export function currentVersions() {
  const { node, v8 } = process.versions;
  return { backsolve: VERSION, node, v8, platform: `${process.platform}-${process.arch}` };
}
