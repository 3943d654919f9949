/**
 * Installs the artefacts of `npm run package` for the tests of test/packages: the folder in TEST_PACKAGES, in a path with a space and
 * an umlaut, below which nothing may be written afterwards. Only this setup uses the registries; what they do not give is named.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { commandsOf, readPages } from './doc-commands.ts';
import { ordinaryUsers, type User } from './ordinary-users.ts';

const run = promisify(execFile);

export interface Installation {
  /** Such as 3.12 or 22. */
  readonly version: string;
  /** The interpreter: that of a virtual environment, or Node. */
  readonly program: string;
  /** The command, to which `run` or another one is added. */
  readonly command: readonly string[];
}

export interface Packages {
  /** The folder of the artefacts. */
  readonly artefacts: string;
  /** One for each version of Python; the first can be used by other users. */
  readonly pythons: readonly Installation[];
  readonly nodes: readonly Installation[];
  /** A folder without programs, as the only one of PATH. */
  readonly noPrograms: string;
  /** Those who use the installations: several where this process may change to them, else its own. */
  readonly users: readonly User[];
}

declare module 'vitest' {
  export interface ProvidedContext {
    packages: Packages;
  }
}

const PYTHONS = ['3.10', '3.11', '3.12', '3.13', '3.14'];
const NODES = ['20', '22', '24'];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const artefacts = path.resolve(process.env['TEST_PACKAGES']!);
  const home = await mkdtemp(path.join(tmpdir(), 'backsolve Prüfung '));
  await chmod(home, 0o755);
  const noPrograms = path.join(home, 'no programs');
  await mkdir(noPrograms);
  const users = ordinaryUsers();
  const pythons = await installPythons(home, artefacts, users);
  const nodes = await installNodes(home, artefacts);
  say(PYTHONS, pythons, 'Python');
  say(NODES, nodes, 'Node');
  // The owner is not kept from writing if it is root, but the users of the tests are.
  await run('chmod', ['-R', 'a-w,a+rX', home]);
  project.provide('packages', { artefacts, pythons, nodes, noPrograms, users });
  return async () => {
    await run('chmod', ['-R', 'u+w', home]);
    await rm(home, { recursive: true, force: true });
  };
}

/** Below the summary, where it is seen. */
function say(wanted: readonly string[], found: readonly Installation[], what: string): void {
  const missing = wanted.filter((version) => !found.some((one) => one.version === version));
  const names = (versions: readonly string[]) => versions.map((version) => `${what} ${version}`).join(', ');
  console.log(`Packages installed for ${names(found.map(({ version }) => version))}`);
  if (missing.length === 0) return;
  process.once('exit', () =>
    console.log(`PACKAGES NOT TESTED WITH ${names(missing)}: this machine has and gets none.`),
  );
}

/** A virtual environment for each interpreter that there is. */
async function installPythons(home: string, artefacts: string, users: readonly User[]): Promise<Installation[]> {
  const found: Installation[] = [];
  for (const [version, program] of findPythons(users)) {
    const folder = path.join(home, `Python ${version}`);
    await run(program, ['-m', 'venv', folder]);
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    const python = path.join(folder, 'bin/python');
    // Compiling takes half of the time, and only the first one is compiled to be fast.
    const compiled = found.length === 0 ? [] : ['--no-compile'];
    await run(python, [...install, ...compiled, ...(await wantedByReadme(artefacts))]);
    found.push({ version, program: python, command: [path.join(folder, 'bin/backsolve')] });
  }
  return found;
}

/** The arguments with which the README has pip install, where the packages are in `artefacts`. */
async function wantedByReadme(artefacts: string): Promise<readonly string[]> {
  const readme = (await readPages()).find((page) => page.path === 'README.md')!;
  const line = commandsOf(readme).find(({ text }) => text.includes('pip install '))!.text;
  const [, wanted] = /pip install (?:--find-links dist )?'(backsolve\S+)'$/.exec(line)!;
  return ['--find-links', artefacts, wanted!];
}

/** Programs by version; first the one that every user can run. */
function findPythons(users: readonly User[]): readonly (readonly [string, string])[] {
  const found = new Map<string, string>();
  const first: (readonly [string, string])[] = [];
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), ...globSync('/root/.pyenv/versions/*/bin')];
  for (const version of PYTHONS) {
    for (const folder of folders) {
      const program = path.join(folder, `python${version}`);
      const starts = (user: User | undefined) =>
        spawnSync(program, ['-c', 'import ensurepip, venv'], { cwd: '/', ...(user?.ids ?? {}) }).status === 0;
      if (!existsSync(program) || !starts(undefined)) continue;
      if (first.length === 0 && users.every(starts)) first.push([version, program]);
      if (!found.has(version)) found.set(version, program);
    }
  }
  return [...first, ...[...found].filter(([version]) => !first.some(([other]) => other === version))];
}

/** One installation of the npm package, and Node in each version. */
async function installNodes(home: string, artefacts: string): Promise<Installation[]> {
  const folder = path.join(home, 'node project');
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
  const packages = (await readdir(artefacts)).filter((name) => name.endsWith('.tgz'));
  const install = ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', [...install, ...packages.map((name) => path.join(artefacts, name))], { cwd: folder });
  const executable = path.join(folder, 'node_modules/backsolve/bin/backsolve.js');
  const found: Installation[] = [];
  for (const version of NODES) {
    const program = await findNode(version, path.join(home, `Node ${version}`));
    if (program !== undefined) found.push({ version, program, command: [program, executable] });
  }
  return found;
}

/** The one of this process or of the system, otherwise that of the package of this platform. */
async function findNode(version: string, folder: string): Promise<string | undefined> {
  for (const program of [process.execPath, ...globSync('/usr{/local,}/bin/node')]) {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (stdout?.startsWith(`v${version}.`) && !program.startsWith('/root/')) return program;
  }
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  await mkdir(folder);
  const arguments_ = [
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--prefer-offline',
    `${name}@${version}`,
  ];
  await run('npm', arguments_, { cwd: folder }).catch((error: Error) => console.log(error.message));
  return globSync(path.join(folder.replaceAll(/[[\]{}()*?!]/g, '\\$&'), 'node_modules', name, 'bin/node'))[0];
}
