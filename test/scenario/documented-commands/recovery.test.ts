/** Plays the pages about operation and teams: backups, and services that are restored from them. */
import { expect } from 'vitest';
import { testPages } from '../../support/doc-session.ts';

testPages('recovery', (printed) => {
  const restores = [...printed].filter(([command]) => command.includes(' restore '));
  expect(restores.length).toBeGreaterThan(1);
  for (const [, output] of restores) expect(output).toMatch(/Restored \d+ tables, \d+ rows\./);
});
