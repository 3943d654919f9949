import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ownFiles } from '../support/own-files.ts';

const BENCH = new URL('../../bench/', import.meta.url);
const COMMAND = /npx node (bench\/[\w/-]+\.ts)/g;

const commandsIn = (text: string): string[] => [...text.matchAll(COMMAND)].map(([, path]) => path!);

async function readTexts(pattern: string): Promise<readonly string[]> {
  const names = await ownFiles('bench', pattern);
  return Promise.all(names.map((name) => readFile(new URL(name, BENCH), 'utf8')));
}

/** Scripts whose opening comment documents a command. */
async function readDocumented(): Promise<Set<string>> {
  const texts = await readTexts('**/*.ts');
  return new Set(texts.flatMap((text) => commandsIn(text.slice(0, text.indexOf('*/')))));
}

it('bench/README.md lists every command of bench and no other', async () => {
  const listed = new Set(commandsIn(await readFile(new URL('README.md', BENCH), 'utf8')));
  expect([...listed].sort()).toEqual([...(await readDocumented())].sort());
});

it('no documentation of bench calls node without npx, which would be the Node of the system', async () => {
  const texts = await readTexts('**/*.{ts,md,py}');
  expect(texts.flatMap((text) => text.match(/.*(?<!npx )\bnode bench\/.*/g) ?? [])).toEqual([]);
});

it('every command of bench documents its own path', async () => {
  const paths = new Set((await ownFiles('bench', '**/*.ts')).map((name) => `bench/${name}`));
  expect([...(await readDocumented())].filter((path) => !paths.has(path))).toEqual([]);
});
