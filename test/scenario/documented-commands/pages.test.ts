/** Rules for the commands of all pages, checked without playing them. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { initialDesign } from '../../../src/optimizer/initial-design.ts';
import { isPlayedAlone } from '../../support/doc-blocks.ts';
import { commandsOf, readPages } from '../../support/doc-commands.ts';
import { NOT_PLAYED } from '../../support/doc-session.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const pages = (await readPages()).filter((page) => !isPlayedAlone(page));

test('every reason not to play a command belongs to a documented command', () => {
  const texts = pages.flatMap(commandsOf).map(({ text }) => text);
  const unused = NOT_PLAYED.filter(([pattern]) => !texts.some((text) => pattern.test(text)));
  expect(unused.map(([pattern]) => String(pattern))).toEqual([]);
});

test('every documented script exists and knows the flags it is given', async () => {
  const problems: string[] = [];
  for (const { path: page, text } of pages) {
    for (const [command, file, rest] of text.matchAll(
      /npx node ((?:bench|harness|src|test|tools)\/[\w./-]+\.ts)([^`#\n]*)/g,
    )) {
      if (!existsSync(path.join(ROOT, file!))) {
        problems.push(`${page}: ${command}: there is no such file`);
        continue;
      }
      const source = await readFile(path.join(ROOT, file!), 'utf8');
      for (const [flag] of rest!.matchAll(/--[\w-]+/g)) {
        const name = flag.slice(2);
        if (!new RegExp(`(^|[\\s{,'"])${name}['"]?:`, 'm').test(source))
          problems.push(`${page}: ${command}: no ${flag}`);
      }
    }
  }
  expect(problems).toEqual([]);
});

test('no page has a command in a form that fails on Node 20 or loses its flags', () => {
  const bad = pages.flatMap(({ path: page, text }) =>
    text.split('\n').flatMap((line, i) => {
      const needsPinnedNode = /(?<!npx )\bnode (bench|harness|src|test|tools)\//.test(line);
      const losesFlags = /npm run backsolve/.test(line);
      // As code, a name that is not preceded by npx is a command that no shell finds, unless it was installed, as in README.md.
      const isNotFound = page !== 'README.md' && /`(\w+=\S+ )*backsolve [a-z]/.test(line);
      return needsPinnedNode || losesFlags || isNotFound ? [`${page}:${i + 1}: ${line.trim()}`] : [];
    }),
  );
  expect(bad).toEqual([]);
});

test('docs/projects.md states how many cases are designed by default', async () => {
  const page = pages.find(({ path: one }) => one === 'docs/projects.md')!.text;
  const rowOf = (name: string) => {
    const cells = new RegExp(`^\\| ${name} \\|(.*)\\|$`, 'm').exec(page)![1]!.split('|');
    return cells.map((cell) => Number.parseInt(cell, 10));
  };
  const designed = (n: number, outputCount: number | null) => {
    const space = { variables: Array.from({ length: n }, () => ({ kind: 'float', minimum: 0, maximum: 1 }) as const) };
    return initialDesign({ space, caseCount: null, outputCount, seed: 1 }).count;
  };
  const inputs = rowOf('Inputs');
  expect(rowOf('Designed cases')).toEqual(inputs.map((n) => designed(n, null)));
  expect(rowOf('With `outputCount` 1')).toEqual(inputs.map((n) => designed(n, 1)));
  expect(designed(200, null)).toBe(8);
});
