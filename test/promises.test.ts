/** The table of promises in CONTRIBUTING.md names tests that exist, and says where they are played. */
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { IN_FULL_ALONE } from './support/in-full.ts';

const ROOT = path.join(import.meta.dirname, '..');
const text = await readFile(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const [, table = ''] = /^## Which test holds which promise\n([\s\S]*?)^## /m.exec(text) ?? [];
const promises = Array.from(
  table.matchAll(/^\| ([^|]+) \| (`test[^|]+) \| `([^|`]+)` \|$/gm),
  ([, promise, files, where]) => ({
    promise: promise!,
    files: Array.from(files!.matchAll(/`([^`]+)`/g), ([, file]) => file!),
    where: where!,
  }),
);

test('Every row of the table of promises is read', () => {
  const rows = table.split('\n').filter((line) => line.startsWith('| ')).length;
  // The title and the line below it are no promises.
  expect(promises).toHaveLength(rows - 2);
  expect(promises.length).toBeGreaterThan(20);
});

test.each(promises)('"$promise" is held by tests that exist, where the table says', ({ files, where }) => {
  expect(files.filter((file) => !file.endsWith('.test.ts') || !existsSync(path.join(ROOT, file)))).toEqual([]);
  const isAlone = (file: string) => IN_FULL_ALONE.some((pattern) => path.matchesGlob(file, pattern));
  const places = files.map((file) => (isAlone(file) ? '.ci/run' : 'npm test'));
  expect(new Set(places)).toEqual(new Set([where]));
});

test.each(IN_FULL_ALONE)('%s, which only .ci/run plays, matches tests', (pattern) => {
  expect(globSync(pattern, { cwd: ROOT })).not.toEqual([]);
});

test('.ci/run plays all tests', async () => {
  expect(await readFile(path.join(ROOT, '.ci/run'), 'utf8')).toMatch(/^(\w+=\S+ )*TEST_IN_FULL=1 .*npm test/m);
});
