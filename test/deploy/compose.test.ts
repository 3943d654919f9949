/** compose.yaml: who gets which password, limits on everything, pinned images. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/settings/config.ts';
import { PAGE_SOURCES } from '../../tools/build-page.ts';
import { SETTING_NAMES } from '../../tools/settings-page.ts';
import { readManifests } from './manifests.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly args: Readonly<Record<string, string>> };
  readonly environment: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly networks: readonly string[];
  readonly stop_grace_period?: string;
  readonly mem_limit?: string;
  readonly cpus?: number | string;
  readonly pids_limit?: number;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('compose.yaml', root), 'utf8');
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
const { services, networks } = parse(text, { merge: true }) as Compose;
const names = Object.keys(services);
const ours = names.filter((name) => services[name]!.image === 'backsolve');

describe('compose.yaml', () => {
  test.each(names)('limits the memory, processors and processes of %s', (name) => {
    expect(services[name]!.mem_limit).toMatch(/^\d+[mg]$/);
    expect(services[name]!.pids_limit).toBeGreaterThan(0);
    expect(String(services[name]!.cpus)).toMatch(/^[\d.]+$|^\$\{[A-Z]+_CPUS:-[\d.]+\}$/);
  });

  it("gives the owner's password only to containers without access to the outside: the database, role and migrate", () => {
    const holders = names.filter((name) => JSON.stringify(services[name]).includes('POSTGRES_PASSWORD:'));
    expect(holders.sort()).toEqual(['migrate', 'postgres', 'role']);
    for (const name of holders) {
      expect(services[name]!.networks.map((network) => networks[network]?.internal)).toEqual([true]);
    }
  });

  it('compose.yaml runs serve and worker with the role to which migrate grants the rows', () => {
    const role = services['migrate']!.command!.at(-1);
    expect(services['migrate']!.command).toEqual(['migrate', '--grant', role]);
    for (const name of ['serve', 'worker']) {
      const { environment } = services[name]!;
      expect(new URL(environment['DATABASE_URL']!).username).toBe(role);
      expect(environment['PGPASSWORD']).toContain('POSTGRES_APP_PASSWORD');
    }
  });

  it('compose.yaml contains no password, and says what to do when one is missing', () => {
    const passwords = [...text.matchAll(/\$\{(\w*PASSWORD)([^}]*)\}/g)];
    expect(passwords.length).toBeGreaterThan(2);
    for (const [, , rest] of passwords) expect(rest).toMatch(/^:\?.*deploy\/make-env\.sh/);
    for (const service of Object.values(services)) {
      const { DATABASE_URL } = service.environment;
      if (DATABASE_URL !== undefined) expect(new URL(DATABASE_URL).password).toBe('');
    }
  });

  it.each(ours)('gives %s settings that exist and are valid, and more time to stop than it needs', (name) => {
    const { environment, stop_grace_period } = services[name]!;
    const { PGPASSWORD: _, ...settings } = environment;
    expect(Object.keys(settings).filter((setting) => !SETTING_NAMES.has(setting))).toEqual([]);
    const withDefaults = Object.entries(settings).map(([key, value]) => [
      key,
      value.replace(/^\$\{\w+:-(.*)\}$/, '$1'),
    ]);
    const config = loadConfig(Object.fromEntries(withDefaults));
    expect(Number.parseInt(stop_grace_period!, 10) * 1_000).toBeGreaterThan(config.shutdownGraceMs + 5_000);
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    expect(page).toContain(`\`compose.yaml\` gives ${Number.parseInt(stop_grace_period!, 10)} s`);
  });

  it('pins its images by digest, the same as the Dockerfile', () => {
    const pinned = /^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/;
    const byDefault = (value: string) => /^\$\{\w+:-(.*)\}$/.exec(value)?.[1];
    const images = names.map((name) => services[name]!.image).filter((image) => image !== 'backsolve');
    expect(images.length).toBeGreaterThan(1);
    for (const image of images) expect(byDefault(image)).toMatch(pinned);
    const base = byDefault(services['migrate']!.build!.args['NODE_IMAGE']!);
    expect(base).toMatch(pinned);
    expect(dockerfile).toContain(`ARG NODE_IMAGE=${base}\n`);
    const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(froms)).toEqual(new Set([`$\{NODE_IMAGE}`]));
  });
});

describe('Dockerfile', () => {
  const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
  const page = stages.find((stage) => stage.includes(' AS page\n'))!;
  const image = stages.at(-1)!;
  const context = readFileSync(new URL('.dockerignore', root), 'utf8').split('\n');

  it('builds the page in a stage with development dependencies and takes only the page from it', () => {
    expect(page).toMatch(/^RUN npm ci (?!.*--omit).*$/m);
    expect(page).toContain('RUN node tools/build-page.ts\n');
    expect(image.match(/^COPY --from=.*$/gm)).toEqual([
      'COPY --from=dependencies /app/node_modules ./node_modules',
      'COPY --from=page /app/dist/page ./dist/page',
    ]);
    expect(stages.find((stage) => stage.includes(' AS dependencies\n'))).toMatch(/npm ci --omit=dev --omit=optional/);
  });

  it('has every folder that the service reads while it runs', () => {
    const read = globSync('src/**/*.ts', { cwd: root }).flatMap((file) => {
      const source = readFileSync(new URL(file, root), 'utf8');
      return [...source.matchAll(/new URL\([`']([\w-]+)\/[^`']*[`'], ROOT\)/g)].map(([, folder]) => folder!);
    });
    const made = ['dist', 'node_modules'];
    expect(new Set(read)).toEqual(new Set(['docs', 'fonts', 'migrations', ...made]));
    for (const folder of new Set(read.filter((one) => !made.includes(one)))) {
      expect(
        context.some((line) => line.startsWith(`!${folder}`)),
        folder,
      ).toBe(true);
    }
    expect(context).toEqual(expect.arrayContaining(['!LICENSE', '!NOTICE']));
  });

  it('copies what the page is built from, all of which the context holds', () => {
    const copied = [...page.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names]) => names!.split(' '));
    for (const source of PAGE_SOURCES) {
      const path = source.replace(/\/\*\*$/, '');
      expect(
        copied.some((one) => path === one || path.startsWith(`${one}/`)),
        path,
      ).toBe(true);
      const folder = source.replace(/\/[^/]*\*.*$/, '');
      const kept = [source, path, folder];
      expect(
        context.some((line) => line.startsWith('!') && kept.some((one) => isWithin(`${one}/`, line.slice(1)))),
        `${source} in the context`,
      ).toBe(true);
    }
    for (const path of copied) {
      expect(existsSync(new URL(path, root)), path).toBe(true);
      const isKept = (line: string) =>
        line.startsWith('!') && (line.slice(1) === path || isWithin(path, line.slice(1)));
      expect(
        context.some((line) => isKept(line) || isWithin(line.slice(1), path)),
        path,
      ).toBe(true);
    }
  });
});

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

describe('deploy/evaluator', () => {
  const folder = new URL('deploy/evaluator/', root);
  const added = parse(readFileSync(new URL('compose.yaml', folder), 'utf8'), { merge: true }) as Compose;
  const evaluator = added.services['evaluator']!;

  it('gives the evaluator a key and nothing of the database, limits, and only a network that leads to serve', () => {
    expect(Object.keys(evaluator.environment).filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
    expect(Object.keys(evaluator.environment).filter((name) => /DATABASE|PG/.test(name))).toEqual([]);
    expect(evaluator.mem_limit).toMatch(/^\d+[mg]$/);
    expect(evaluator.pids_limit).toBeGreaterThan(0);
    expect(String(evaluator.cpus)).toMatch(/^\$\{[A-Z]+_CPUS:-[\d.]+\}$/);
    expect(evaluator.networks).toEqual(added.services['serve']!.networks);
    for (const network of evaluator.networks) expect(added.networks[network]).toEqual({ internal: true });
    const url = new URL(evaluator.environment['BACKSOLVE_URL']!);
    expect(Object.keys(services)).toContain(url.hostname);
    expect(url.port).toBe(/\bPORT=(\d+)/.exec(dockerfile)![1]);
  });

  it('builds an image on ours whose program the manifests of Kubernetes run', () => {
    const image = readFileSync(new URL('Dockerfile', folder), 'utf8');
    expect([...image.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name)).toEqual([`$\{BACKSOLVE_IMAGE}`]);
    expect(image.match(/^USER (\w+)/gm)!.at(-1)).toBe('USER node');
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(image)![1]!) as string[];
    const deployment = readManifests('evaluators').find(({ kind }) => kind === 'Deployment')!;
    const { args } = deployment.spec.template.spec.containers[0];
    expect(args.slice(args.indexOf('--'))).toEqual(command.slice(command.indexOf('--')));
    const [, copied, to] = /^COPY (\S+) (\S+)$/m.exec(image)!;
    expect(command.at(-1)).toBe(`${to}${copied}`);
    expect(readFileSync(new URL(copied!, folder), 'utf8')).toContain('sys.stdin');
  });
});

it('deploy/make-env.sh writes two passwords once, readable by the owner only', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'backsolve-env-'));
  const file = path.join(folder, '.env');
  const run = () => spawnSync(new URL('deploy/make-env.sh', root).pathname, [file], { encoding: 'utf8' });
  try {
    expect(run().status).toBe(0);
    const written = readFileSync(file, 'utf8');
    const [, owner, app] = /^POSTGRES_PASSWORD=([0-9a-f]{48})\nPOSTGRES_APP_PASSWORD=([0-9a-f]{48})\n$/.exec(written)!;
    expect(owner).not.toBe(app);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = run();
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('exists already and is left unchanged');
    expect(readFileSync(file, 'utf8')).toBe(written);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
