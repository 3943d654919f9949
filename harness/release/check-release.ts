/**
 * Checks whether a tag may be released: `node harness/release/check-release.ts v1.2.3`. Prints what is missing and exits with code 1. Needs no
 * packages, so that it runs before anything is installed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Package {
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
}

/** The obstacles to a release of the tag, each with its remedy; empty if there are none. `root` is the folder of the clone. */
export function findObstacles(root: string, tag: string): readonly string[] {
  const found: string[] = [];
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1];
  if (version === undefined) found.push(`The tag ${tag} is no version such as v1.2.3.`);
  const read = (path: string) => readFileSync(join(root, path), 'utf8');

  const client = JSON.parse(read('clients/typescript/package.json')) as Package;
  const service = JSON.parse(read('package.json')) as Package;
  const versions = {
    'package.json': service.version,
    'clients/typescript/package.json': client.version,
    ...Object.fromEntries(
      PYTHON.filter((file) => existsSync(join(root, file))).map((file) => [
        file,
        /^version\s*=\s*"([^"]+)"/m.exec(read(file))?.[1] ?? 'none',
      ]),
    ),
  };
  for (const [file, stated] of Object.entries(versions)) {
    if (version !== undefined && stated !== version) found.push(`${file} has version ${stated}, the tag ${version}.`);
  }
  for (const file of PYTHON) if (!existsSync(join(root, file))) found.push(`${file} is missing.`);
  if (version !== undefined && !read('CHANGELOG.md').includes(`\n## [${version}]`)) {
    found.push(`CHANGELOG.md has no section [${version}]: name what is under Unreleased.`);
  }
  const licences = {
    'package.json': service.license,
    'clients/typescript/package.json': client.license,
    ...Object.fromEntries(
      [...PYTHON, 'CITATION.cff']
        .filter((file) => existsSync(join(root, file)))
        .map((file) => [file, /^license\s*[=:]\s*"?([\w.-]+)/m.exec(read(file))?.[1]]),
    ),
  };
  for (const [file, stated] of Object.entries(licences)) {
    if (stated !== LICENCE) found.push(`${file} states the licence ${stated ?? 'none'}, LICENSE is ${LICENCE}.`);
  }
  for (const folder of ['.', 'clients/typescript', ...PYTHON.map(dirname)]) {
    for (const name of ['LICENSE', 'NOTICE']) {
      const path = join(folder, name);
      if (!existsSync(join(root, path))) found.push(`${path} is missing.`);
      else if (read(path) !== read(name)) found.push(`${path} differs from ${name}: copy it.`);
    }
  }
  if ([service, client].some((one) => one.private === true)) {
    found.push(
      'package.json or clients/typescript/package.json is private: remove that once the owner has confirmed the licence.',
    );
  }
  return found;
}

/** That of LICENSE, as SPDX names it. */
const LICENCE = 'Apache-2.0';

const PYTHON = ['clients/python/pyproject.toml', 'clients/python-service/pyproject.toml'];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tag = ''] = process.argv.slice(2);
  const obstacles = findObstacles(fileURLToPath(new URL('../../', import.meta.url)), tag);
  for (const obstacle of obstacles) console.error(obstacle);
  process.exitCode = obstacles.length === 0 ? 0 : 1;
}
