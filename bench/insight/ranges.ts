/**
 * Measures how reliable sensitivity ranges are: prints the table of docs/insight.md in about ten seconds.
 *
 *   npx node bench/insight/ranges.ts [--seeds 20]
 */
import { parseArgs } from 'node:util';
import { drawMembers } from './families.ts';
import { sampled, searched, tally } from './tally.ts';

const { values: options } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } });
const members = drawMembers(Number(options.seeds));

process.stdout.write(
  '| cases | functions with ranges | ranges that contain the true share | pairs of inputs in the wrong order |\n',
);
process.stdout.write('| --- | --- | --- | --- |\n');
for (const [name, make] of [
  ['30 spread over the box', sampled(30)],
  ['8 spread over the box', sampled(8)],
  ['the designed ones and 20 inverses of a search', searched],
] as const) {
  const { reported, ranges, right, orders, wrong } = tally(members, make);
  process.stdout.write(
    `| ${name} | ${reported} of ${members.length} | ${right} of ${ranges} | ${wrong} of ${orders} |\n`,
  );
}
