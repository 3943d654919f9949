/**
 * What the ranges of the sensitivities are worth: the table of docs/insight.md. Takes ten seconds.
 *
 *   npx node bench/insight/ranges.ts [--seeds 20]
 */
import { parseArgs } from 'node:util';
import { drawMembers } from './families.ts';
import { sampled, searched, tally } from './tally.ts';

const { values: options } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } });
const members = drawMembers(Number(options.seeds));

process.stdout.write(
  '| cases | functions with ranges | ranges that hold the true share | pairs of inputs put into a wrong order |\n',
);
process.stdout.write('| --- | --- | --- | --- |\n');
for (const [name, make] of [
  ['30 spread over the box', sampled(30)],
  ['8 spread over the box', sampled(8)],
  ['the designed ones and 20 steps of a search', searched],
] as const) {
  const { reported, ranges, right, orders, wrong } = tally(members, make);
  process.stdout.write(
    `| ${name} | ${reported} of ${members.length} | ${right} of ${ranges} | ${wrong} of ${orders} |\n`,
  );
}
