import type { Belief, OutputBelief } from './belief.ts';
import { chiSquare, drawNoise } from './draw-noise.ts';
import { type Draws, inside, makeDraws, meanGiven } from './probability.ts';

/** Futures simulated for each number of further runs, and the draws of each. */
const FUTURES = 24;
const FURTHER_RUNS = [1, 2, 4, 8, 16, 32];
const DRAWS = 24;

/**
 * The largest rate at which further runs lead to a solution that may be declared, beyond what the pending ones do.
 *
 * @param isDeclared whether it may be, by what is believed after these runs
 */
export function rateOfDeclaration(
  belief: Belief,
  pending: number,
  isDeclared: (later: Belief, draws: Draws) => boolean,
): number {
  const m = belief.outputs.length;
  const draws = makeDraws(DRAWS, m);
  const futures = makeDraws(FUTURES, 2 * m);
  const declared = (further: number) => {
    let hits = 0;
    for (let f = 0; f < FUTURES; f++) if (isDeclared(future(belief, further, futures, f), draws)) hits++;
    return hits / FUTURES;
  };
  const before = pending > 0 ? declared(pending) : 0;
  let most = 0;
  for (const further of FURTHER_RUNS) {
    // No rate of more runs exceeds this.
    if (most >= (1 - before) / further) break;
    most = Math.max(most, (declared(pending + further) - before) / further);
  }
  return most;
}

/** A belief after further runs that turned out as the present belief has it. */
function future(belief: Belief, further: number, { m, forNoise, forMean }: Draws, f: number): Belief {
  let chance = 1;
  const outputs = belief.outputs.map((output, j): OutputBelief => {
    const normal = (of: Float64Array, second: boolean) => of[f * m + 2 * j + (second ? 1 : 0)]!;
    const noise = drawNoise(output, belief.runs, normal(forNoise, false));
    const given = meanGiven(output, belief.runs, noise);
    const theta = given.mean + Math.sqrt(given.variance) * normal(forMean, false);
    chance *= inside(output, theta, noise);
    const mean = theta + Math.sqrt(noise / further) * normal(forMean, true);
    const squares = further > 1 ? noise * chiSquare(further - 1, normal(forNoise, true)) : 0;
    const runs = belief.runs + further;
    const apart = belief.runs > 0 ? ((belief.runs * further) / runs) * (mean - output.observed) ** 2 : 0;
    return {
      ...output,
      observed: (belief.runs * output.observed + further * mean) / runs,
      squares: output.squares + squares + apart,
    };
  });
  const hits = belief.hits + binomial(further, chance, (f + 0.5) / FUTURES);
  return { ...belief, runs: belief.runs + further, hits, outputs };
}

/** The quantile of the number of hits. */
function binomial(count: number, chance: number, quantile: number): number {
  let hits = count;
  let term = chance ** count;
  for (let sum = term; sum < quantile && hits > 0; sum += term) {
    term *= (hits / (count - hits + 1)) * ((1 - chance) / chance);
    hits--;
  }
  return hits;
}
