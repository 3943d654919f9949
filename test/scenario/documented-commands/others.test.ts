/** Plays all pages that no other test plays: keys, data, exports, reports, webhooks, several solutions. */
import { expect } from 'vitest';
import { testPages } from '../../support/doc-session.ts';

testPages('others', (printed) => {
  expect(printed.get('npx backsolve keys list')).toMatch(/the test rig.*read,write/);
  expect(printed.get('tail -n 1 model-1.ndjson')).toContain('"type":"end"');
});
