/**
 * Compares our run counts with the record and exits with 1 when something got worse. `--update` records the present
 * counts, but only when their geometric mean is no worse than the recorded one; a deliberate step back begins with
 * deleting ratchet.json.
 *
 *   npx node bench/solvers/ratchet.ts [--update]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findRegressions, playRatchet, RATCHET_SEEDS, type RatchetRecord } from './ratchet-rule.ts';
import { geometricMean } from './scores.ts';

const { values: options } = parseArgs({ options: { update: { type: 'boolean', default: false } } });
const file = new URL('./ratchet.json', import.meta.url);
const measured = playRatchet(RATCHET_SEEDS);
const record: RatchetRecord = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : measured;
const meanOf = (counts: RatchetRecord): number => geometricMean(Object.values(counts).flat());

for (const [name, costs] of Object.entries(measured)) {
  process.stdout.write(
    `${name.padEnd(24)} ${costs.join(', ').padEnd(10)} record ${record[name]?.join(', ') ?? 'none'}\n`,
  );
}
process.stdout.write(`geometric mean ${meanOf(measured).toFixed(3)}, record ${meanOf(record).toFixed(3)}\n`);

if (options.update && meanOf(measured) <= meanOf(record)) {
  const lines = Object.entries(measured).map(([name, costs]) => `  ${JSON.stringify(name)}: [${costs.join(', ')}]`);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
} else {
  const regressions = findRegressions(record, measured);
  for (const complaint of regressions) process.stdout.write(`WORSE ${complaint}\n`);
  if (options.update) process.stdout.write('not recorded: the record is better\n');
  process.exitCode = regressions.length === 0 && !options.update ? 0 : 1;
}
