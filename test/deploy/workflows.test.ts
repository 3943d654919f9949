/** The workflows call what exists, may do no more than they need, and release what is ready only. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findObstacles } from '../../harness/release/check-release.ts';

const root = new URL('../../', import.meta.url).pathname;
const folder = path.join(root, '.github/workflows');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const names = globSync('*.yml', { cwd: folder }).sort();
const read = (name: string) => parse(readFileSync(path.join(folder, name), 'utf8')) as Workflow;
const release = read('release.yml');

const scriptsOf = (where: string) =>
  Object.keys(JSON.parse(readFileSync(path.join(root, where, 'package.json'), 'utf8')).scripts ?? {});

/** Names that a step uses and that do not exist. */
function missingOf({
  run = '',
  uses = '',
  with: given = {},
  'working-directory': where = '.',
}: Step): readonly string[] {
  const missing: string[] = [];
  const expectPath = (file: string) => {
    if (!existsSync(path.join(root, file))) missing.push(file);
  };
  // The artefacts in dist come from another job.
  if (where !== 'dist') expectPath(where);
  for (const [, script] of run.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)) {
    if (!scriptsOf(where).includes(script!)) missing.push(`npm run ${script}`);
  }
  if (where === 'dist' || run.startsWith('mkdir ')) return missing;
  for (const [file] of run.matchAll(/(?<![\w@=])(?:\.\/)?[\w.-]*\/[\w./-]+/g)) expectPath(path.join(where, file));
  if (uses.startsWith('./')) expectPath(uses);
  if (given['context'] !== undefined) expectPath(path.join(String(given['context']), 'Dockerfile'));
  return missing;
}

describe.each(names)('%s', (name) => {
  const { jobs, permissions } = read(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  it('calls scripts and files that exist', () => {
    const called = [...steps, ...Object.values(jobs).map(({ uses }) => ({ ...(uses !== undefined && { uses }) }))];
    expect(called.flatMap(missingOf)).toEqual([]);
    for (const { needs = [] } of Object.values(jobs))
      expect(Object.keys(jobs)).toEqual(expect.arrayContaining([needs].flat()));
  });

  it('may only read, unless a job says more', () => {
    expect(permissions).toEqual({ contents: 'read' });
  });

  it('uses actions of a stated version, keeps no credentials, and ends', () => {
    for (const { uses, with: given } of steps) {
      if (uses === undefined) continue;
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@(v\d+(\.\d+){0,2}|[0-9a-f]{40})$/);
      if (uses.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false });
    }
    for (const job of Object.values(jobs))
      if (job.uses === undefined) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('puts nothing that others write into a command', () => {
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

describe('a release', () => {
  it('is made of tags only, after all checks, and without stored secrets', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
    expect(release.jobs['check']).toEqual({ needs: 'ready', uses: './.github/workflows/ci.yml' });
    for (const name of ['image', 'packages', 'on-systems']) expect(release.jobs[name]!.needs).toBe('check');
    for (const name of ['npm', 'pypi'])
      expect(release.jobs[name]!.needs).toEqual(['on-python', 'on-node', 'on-systems']);
    const secrets = readFileSync(path.join(folder, 'release.yml'), 'utf8').match(/secrets\.\w+/g);
    expect(secrets).toEqual(['secrets.GITHUB_TOKEN']);
  });

  it('grants each registry to one job', () => {
    const granted = Object.entries(release.jobs).map(([name, job]) => [name, job.permissions]);
    expect(Object.fromEntries(granted.filter(([, permissions]) => permissions !== undefined))).toEqual({
      image: { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' },
      packages: { contents: 'read', 'id-token': 'write', attestations: 'write' },
      npm: { contents: 'read', 'id-token': 'write' },
      pypi: { 'id-token': 'write' },
    });
    expect([release.jobs['npm']!.environment, release.jobs['pypi']!.environment]).toEqual(['npm', 'pypi']);
  });
});

describe('what is ready', () => {
  let copy: string;
  const files = [
    'package.json',
    'clients/typescript/package.json',
    'CHANGELOG.md',
    'CITATION.cff',
    'LICENSE',
    'NOTICE',
  ];
  const python = ['clients/python', 'clients/python-service'];
  beforeAll(async () => {
    copy = await mkdtemp(path.join(tmpdir(), 'backsolve-release-'));
    for (const file of files) await cp(path.join(root, file), path.join(copy, file), { recursive: true });
    for (const folder of python) {
      await mkdir(path.join(copy, folder), { recursive: true });
      await writeFile(path.join(copy, folder, 'pyproject.toml'), '[project]\nversion = "1.2.3"\nlicense = "MIT"\n');
    }
    for (const folder of ['clients/typescript', ...python])
      for (const name of ['LICENSE', 'NOTICE']) await cp(path.join(root, name), path.join(copy, folder, name));
  });
  afterAll(() => rm(copy, { recursive: true }));

  const change = async (file: string, edit: (text: string) => string) =>
    writeFile(path.join(copy, file), edit(readFileSync(path.join(copy, file), 'utf8')));

  it('Nothing is until the owner has confirmed the licence, which every package has', () => {
    expect(findObstacles(root, 'v0.1.0').filter((one) => !one.includes('CHANGELOG'))).toEqual([
      'package.json or clients/typescript/package.json is private: remove that once the owner has confirmed the licence.',
    ]);
  });

  it('All missing parts are named together, and none once they are there', async () => {
    await rm(path.join(copy, 'clients/python/LICENSE'));
    await change('clients/python-service/NOTICE', () => 'Somebody else');
    const missing = findObstacles(copy, 'v1.2.3').join('\n');
    for (const word of [
      'package.json has version',
      'typescript/package.json has version',
      '[1.2.3]',
      'clients/python/pyproject.toml states the licence MIT, LICENSE is Apache-2.0.',
      'clients/python-service/NOTICE differs from NOTICE: copy it.',
      'clients/python/LICENSE is missing.',
      'private',
    ]) {
      expect(missing).toContain(word);
    }
    expect(findObstacles(copy, '1.2.3')[0]).toBe('The tag 1.2.3 is no version such as v1.2.3.');
    for (const file of files.slice(0, 2)) {
      await change(file, (text) => {
        const { private: _, ...rest } = JSON.parse(text);
        return JSON.stringify({ ...rest, version: '1.2.3', license: 'Apache-2.0' });
      });
    }
    await change('CHANGELOG.md', (text) =>
      text.replace('## [Unreleased]', '## [Unreleased]\n\n## [1.2.3] - 2027-01-31'),
    );
    for (const folder of python) await change(`${folder}/pyproject.toml`, (text) => text.replace('MIT', 'Apache-2.0'));
    for (const file of ['clients/python/LICENSE', 'clients/python-service/NOTICE'])
      await cp(path.join(root, path.basename(file)), path.join(copy, file));
    expect(findObstacles(copy, 'v1.2.3')).toEqual([]);
  });
});
