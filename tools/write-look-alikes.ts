/**
 * Writes src/domain/look-alike-table.ts from security/confusables.txt of the Unicode Consortium:
 * `npx node tools/write-look-alikes.ts confusables.txt`, for a new version of Unicode.
 */
import { readFile, writeFile } from 'node:fs/promises';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('name the file confusables.txt');
const lines = (await readFile(file, 'utf8')).split('\n');
const version = lines.map((line) => /^# Version: (\S+)/.exec(line)?.[1]).find((one) => one !== undefined);
const pairs = lines.flatMap((line) => {
  const [from, to] = line
    .split('#')[0]!
    .split(';')
    .map((part) => part.trim());
  if (!from || !to) return [];
  const source = String.fromCodePoint(Number.parseInt(from, 16));
  // Characters that compatibility decomposition replaces never get as far as the table, and marks are told apart by their letters.
  if (source.normalize('NFKD') !== source || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(source)) return [];
  return [[from, ...to.split(/\s+/)].map((point) => Number.parseInt(point, 16).toString(36)).join('-')];
});
const text = `/**
 * Characters that look like others, from security/confusables.txt of Unicode ${version} (https://www.unicode.org/reports/tr39/), without those
 * that compatibility decomposition replaces. Copyright 1991-2026 Unicode, Inc.; license: https://www.unicode.org/license.txt.
 *
 * One word each: the character and those that it looks like, as code points to the base 36. Written by tools/write-look-alikes.ts.
 */
export const LOOK_ALIKES =
  '${pairs.join(' ')}';
`;
await writeFile(new URL('../src/domain/look-alike-table.ts', import.meta.url), text);
