/**
 * Intervals of the inputs of a fit, after a search without a start, for another tool to compute from the same data: growth that
 * saturates, with the plateau barely seen, so that the intervals are far from symmetric.
 *
 *   npx node bench/fits/profiles.ts [--sets 5] [--first 1] | python bench/peers/profiles.py
 */
import { parseArgs } from 'node:util';
import { fitInsight } from '../../src/optimizer/fit-insight.ts';
import { saturation } from './coverage.ts';
import { play } from './play.ts';

const { values } = parseArgs({
  options: { sets: { type: 'string', default: '5' }, first: { type: 'string', default: '1' } },
});
for (let k = 0; k < Number(values.sets); k++) {
  const seed = Number(values.first) + k;
  const problem = saturation(seed);
  const { request, misfits } = play(problem, seed, 60);
  const parameters = fitInsight(request)!.parameters.map(({ low, high }) => [low, high]);
  const bounds = problem.variables.map((variable) =>
    variable.kind === 'float' ? [variable.minimum, variable.maximum] : [],
  );
  process.stdout.write(`${JSON.stringify({ seed, runs: misfits.length, bounds, fits: problem.fits, parameters })}\n`);
}
