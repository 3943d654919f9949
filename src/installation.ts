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

/**
 * Largest semi-space of V8 for new objects, in a process and in each of its threads, as Node chooses it in a container of 1 GiB. On a
 * machine with several GiB Node chooses 64, which fill with garbage and stay full (docs/decisions/0095).
 */
export const SEMI_SPACE_MIB = 16;

/** Options of Node for a process that serves or works; starts of one outside src repeat them (test/node-flags.test.ts). */
export const NODE_FLAGS = [`--max-semi-space-size=${SEMI_SPACE_MIB}`];

/** Versions of everything that computes here. Suggestions follow from these and from what they are computed from alone. */
export function currentVersions() {
  const { node, v8 } = process.versions;
  return { backsolve: VERSION, node, v8, platform: `${process.platform}-${process.arch}` };
}
