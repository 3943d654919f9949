import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { COLOUR_NAMES, PAPER } from '../../src/presentation/colours.ts';

it('Charts on paper have the colours of the light theme of the page.', async () => {
  const text = await readFile(new URL('../../src/dashboard/styles/tokens.css', import.meta.url), 'utf8');
  const light = text.slice(0, text.indexOf('}'));
  const tokens = Object.fromEntries(
    Array.from(light.matchAll(/--([\w-]+): (#\w+);/g), ([, name, value]) => [name, value]),
  );
  for (const name of COLOUR_NAMES) expect(PAPER[name], name).toBe(tokens[name]);
});
