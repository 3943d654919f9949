/**
 * Writes recorded-proposals.json beside this file. Run it after a deliberate change of the optimizer, and explain in the
 * commit why the numbers changed:
 *
 *     node test/reference/recorded-proposals.ts
 */
import { writeFileSync } from 'node:fs';
import { recordProposals } from '../optimizer/recorded-proposals.ts';

const text = `${JSON.stringify(recordProposals(), null, 1)}\n`;
writeFileSync(new URL('recorded-proposals.json', import.meta.url), text);
