/** Tests what `npm run package` leaves in its folder. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const { artefacts } = inject('packages');
const { version } = packageJson;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFile(path.join(artefacts, name), 'utf8');

it('SHA256SUMS has the checksum of every other file, and the provenance that of every package', async () => {
  const names = (await readdir(artefacts)).filter((name) => /\.(tgz|whl|json)$/.test(name)).sort();
  const sums = new Map(
    (await read('SHA256SUMS'))
      .trim()
      .split('\n')
      .map((line) => line.split('  ').reverse() as [string, string]),
  );
  expect([...sums.keys()]).toEqual(names);
  for (const [name, sum] of sums) {
    const content = await readFile(path.join(artefacts, name));
    expect(createHash('sha256').update(content).digest('hex'), name).toBe(sum);
  }
  const { subject } = JSON.parse(await read('provenance.json')) as {
    subject: { name: string; digest: { sha256: string } }[];
  };
  expect(subject.map(({ name }) => name)).toEqual(names.filter((name) => name !== 'provenance.json'));
  for (const { name, digest } of subject) expect(digest.sha256).toBe(sums.get(name));
});

it('Wheels have at most 12 MB', async () => {
  for (const name of await readdir(artefacts))
    if (name.endsWith('.whl')) expect((await stat(path.join(artefacts, name))).size, name).toBeLessThan(12_000_000);
});

it('Every package has the licence and the notice', async () => {
  const list = { '.whl': ['unzip', '-Z1'], '.tgz': ['tar', '-tf'] } as const;
  for (const name of await readdir(artefacts)) {
    const command = list[path.extname(name) as keyof typeof list];
    if (command === undefined) continue;
    const [program, option] = command;
    const listed = execFileSync(program, [option, path.join(artefacts, name)], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    const files = listed.split('\n').map((line) => path.basename(line));
    expect(files, name).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE']));
  }
});

it('The npm package has the licences of what is built in, and no path of the machine that has built it', async () => {
  const archive = path.join(artefacts, `backsolve-${version}.tgz`);
  const tar = (...args: readonly string[]) => execFileSync('tar', [...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const files = tar('-tf', archive).trim().split('\n');
  const { components } = JSON.parse(await read('sbom.cdx.json')) as {
    components: { name: string; licenses?: unknown }[];
  };
  const notices = tar('-xOf', archive, 'package/THIRD-PARTY-NOTICES.txt');
  const built = components.filter(({ licenses }) => licenses !== undefined);
  expect(built.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'kysely', 'pg', 'zod', 'preact']));
  for (const { name } of built) expect(notices).toContain(`\n${name} `);
  const texts = files.filter((name) => /\.(js|map|json|html)$/.test(name));
  // Not toContain, which would print all of it.
  expect(tar('-xOf', archive, ...texts).includes(ROOT)).toBe(false);
});
