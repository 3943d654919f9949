/**
 * Compares our run counts with the record and exits with 1 when something got worse; `--update` records the present ones.
 *
 *   node bench/solvers/ratchet.ts [--update]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findRegressions, playRatchet, RATCHET_SEEDS, type RatchetRecord } from './ratchet-rule.ts';
import { geometricMean } from './scores.ts';

const { values: options } = parseArgs({ options: { update: { type: 'boolean', default: false } } });
const file = new URL('./ratchet.json', import.meta.url);
const measured = playRatchet(RATCHET_SEEDS);
const record: RatchetRecord = options.update ? measured : JSON.parse(readFileSync(file, 'utf8'));

for (const [name, costs] of Object.entries(measured)) {
  process.stdout.write(`${name.padEnd(24)} ${costs.join(', ').padEnd(10)} record ${record[name]?.join(', ')}\n`);
}
process.stdout.write(`geometric mean ${geometricMean(Object.values(measured).flat()).toFixed(2)}\n`);

if (options.update) {
  const lines = Object.entries(measured).map(([name, costs]) => `  ${JSON.stringify(name)}: [${costs.join(', ')}]`);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
} else {
  const regressions = findRegressions(record, measured);
  for (const complaint of regressions) process.stdout.write(`WORSE ${complaint}\n`);
  process.exitCode = regressions.length === 0 ? 0 : 1;
}
