import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { NODE_FLAGS } from '../src/installation.ts';

const STARTS = [
  ['bin/backsolve.js', 1],
  ['package.json', 2],
  ['Dockerfile', 1],
  ['clients/python-service/src/backsolve_service/__init__.py', 1],
] as const;

it.each(STARTS)('%s starts Node with the options that bound its memory', async (file, times) => {
  const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
  expect(text.match(/--max-semi-space-size=\d+/g)).toEqual(new Array(times).fill(NODE_FLAGS).flat());
});
