/**
 * Which run tells most where runs are noisy: at a new input, or again at one that has been evaluated. Each candidate is worth
 * the largest rate at which further runs at it lead to a solution that may be declared,
 *   max over t of P(declared after t further runs) / t,
 * where the probability is taken over what these runs may bring by the present belief.
 *
 * Source: Gittins 1979, Bandit processes and dynamic allocation indices, for the index of a candidate by its own best stopping
 * time; Frazier, Powell and Dayanik 2008, A knowledge-gradient policy, for simulated future beliefs.
 */

import { byLoss } from '../goal/targets.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../prepare.ts';
import type { Proposal, Standing } from '../problem.ts';
import type { Belief, OutputBelief } from './belief.ts';
import { chiSquare, drawNoise } from './draw-noise.ts';
import {
  type Draws,
  jointExcess,
  makeDraws,
  meanGiven,
  ofMean,
  ofRun,
  withLikelyNoise,
  withNoiseTogether,
  withValue,
} from './probability.ts';
import {
  type Asked,
  type Beliefs,
  beliefsAt,
  chanceOfMean,
  featuresOf,
  isEnough,
  isMeanInside,
  judgeBeliefs,
  makeModels,
  type Probabilities,
  type Tried,
  triedInputs,
} from './standing.ts';

/** Draws of what is reported, of the ranking and of each simulated future. */
const DRAWS = { reported: 1024, ranking: 32, future: 24 };
/** Inputs with the smallest losses that are ranked, and those of them that are judged. */
const RANKED = 30;
const JUDGED = 4;
/** See `leastRuns`. */
const ESTIMATED_RUNS = 3;
const SKEWED_RUNS = 5;
/** Futures simulated for each number of further runs. */
const FUTURES = 24;
const FURTHER_RUNS = [1, 2, 4, 8];
/** A repeat at less hope of ever being declared is wasted. */
const LEAST_HOPE = 0.02;
/** The mean of runs that reaches the targets with a smaller probability is given up. */
const LEAST_CHANCE = 0.1;
/** An input whose means meet the targets with a smaller probability is not run again while there is a new one. */
const NEGLIGIBLE = 0.01;

interface Judged {
  readonly tried: Tried;
  readonly beliefs: Beliefs;
  readonly standing: Standing;
}

/** What to do next: the new input found, a repeat in its place, or the end. */
export interface Decision {
  readonly kind: 'new' | 'repeat' | 'reached';
  /** null before a run has succeeded. */
  readonly standing: Standing | null;
  /** The input to repeat. */
  readonly tried: Tried | null;
}

/** The input that comes nearest to what is asked; null before a run has succeeded at an admissible input. */
export function bestStanding(prepared: Prepared): Standing | null {
  const { asked } = prepared.request.noise ?? { asked: null };
  if (!asked || prepared.cases.N === 0) return null;
  return judge(prepared, asked, { spent: 0, limit: prepared.request.workLimit }).judged[0]?.standing ?? null;
}

/** @param found the new input that the search proposes, length n; null when there is none */
export function decide(prepared: Prepared, asked: Asked, found: Float64Array | null): Decision {
  const { request, cases, encoding } = prepared;
  const { goal } = request;
  if (cases.N === 0) return { kind: 'new', standing: null, tried: null };
  const work: Work = { spent: 0, limit: request.workLimit };
  const { models, judged } = judge(prepared, asked, work);
  const standing = judged[0]?.standing ?? null;
  const [first] = judged;
  if (first && isReached(prepared, asked, first)) return { kind: 'reached', standing, tried: first.tried };
  const worth = (beliefs: Beliefs, tried: Tried | null) =>
    asked.kind === 'confirm'
      ? rateOfMean(asked.runs, beliefs.forMean, tried)
      : rateOf(prepared, asked, asked.of === 'run' ? beliefs.forRun : beliefs.forMean, tried?.pending ?? 0);
  // Far from the targets every repeat is wasted.
  if (found && !judged.some((one) => one.standing.mean.value > NEGLIGIBLE))
    return { kind: 'new', standing, tried: null };
  const fresh = found ? worth(beliefsAt(models, goal, asked, featuresOf(encoding, found), null), null) : LEAST_HOPE;
  let best: Tried | null = null;
  let most = fresh;
  for (const { tried, beliefs } of judged) {
    if (asked.kind === 'confirm' && !tried.members.some((i) => isMeanInside(cases, goal, [i]))) continue;
    const rate = worth(beliefs, tried);
    // A repeat also tells about the noise.
    if (rate >= most && rate > 0) [best, most] = [tried, rate];
  }
  return best ? { kind: 'repeat', standing, tried: best } : { kind: 'new', standing, tried: null };
}

/** The inputs that come nearest to what is asked, the nearest first. */
function judge(prepared: Prepared, asked: Asked, work: Work) {
  const { request, cases } = prepared;
  const { goal } = request;
  const m = goal.targets.length;
  const models = makeModels(prepared, work);
  const order = byLoss(cases.loss);
  const ranking = makeDraws(DRAWS.ranking, m);
  const reported = makeDraws(DRAWS.reported, m);
  const together = withNoiseTogether(reported);
  const rankOf = ({ run, mean }: Probabilities) =>
    asked.kind === 'confidence' && asked.of === 'run' ? run.low + 1e-3 * run.value : mean.value;
  const judged = triedInputs(prepared)
    .sort((a, b) => order(a.members[0]!, b.members[0]!))
    .slice(0, RANKED)
    .map((tried) => ({ tried, beliefs: beliefsAt(models, goal, asked, tried.u, tried) }))
    .map((one) => ({ ...one, value: rankOf(judgeBeliefs(one.beliefs, goal, ranking)) }))
    .sort((a, b) => b.value - a.value)
    .filter(({ tried }, rank) => rank < JUDGED || isConfirmed(prepared, asked, tried))
    .map(({ tried, beliefs }): Judged & { readonly rank: number } => {
      const row = cases.rows[tried.members[0]!]!;
      const runs = tried.members.length + tried.failures;
      const { run: independent, mean } = judgeBeliefs(beliefs, goal, reported);
      // The means of outputs seem to go together less than their runs do.
      const excess = goal.l1 ? 0 : jointExcess(beliefs.forRun, models.correlation, reported.forMean);
      const decisive = withValue(independent, independent.value + excess);
      const likely = ofRun(withLikelyNoise(beliefs.forRun), goal.l1, together);
      const standing = { row, runs, run: withValue(decisive, likely.value + excess), mean };
      const one = { tried, beliefs, standing };
      return { ...one, rank: (isReached(prepared, asked, one) ? 2 : 0) + rankOf({ run: decisive, mean }) };
    })
    .sort((a, b) => b.rank - a.rank);
  return { models, judged };
}

function isReached(prepared: Prepared, asked: Asked, { tried, beliefs, standing }: Judged): boolean {
  if (asked.kind === 'confirm') return isConfirmed(prepared, asked, tried);
  const belief = asked.of === 'run' ? beliefs.forRun : beliefs.forMean;
  if (tried.members.length < leastRuns(prepared, belief) || !isEnough(asked, belief, standing[asked.of])) return false;
  // Models of skewed outputs do not outvote the runs at the input.
  return !belief.isSkewed || isMeanInside(prepared.cases, prepared.request.goal, tried.members);
}

/** Runs at an input without which it is not declared: what is estimated is to be seen there. */
function leastRuns({ request }: Prepared, { isSkewed }: Belief): number {
  if (isSkewed) return SKEWED_RUNS;
  return request.noise!.standardDeviations ? 1 : ESTIMATED_RUNS;
}

/** Whether the mean of as many runs as are asked for meets the targets. */
function isConfirmed({ request, cases }: Prepared, asked: Asked, { members }: Tried): boolean {
  return asked.kind === 'confirm' && members.length >= asked.runs && isMeanInside(cases, request.goal, members);
}

/** The rate for a mean of a given number of runs; 0 when the pending ones complete them, or will hardly do. */
function rateOfMean(runs: number, belief: Belief, tried: Tried | null): number {
  const rest = runs - belief.runs - (tried?.pending ?? 0);
  if (rest <= 0) return 0;
  const chance = chanceOfMean(belief, runs);
  return tried && chance < LEAST_CHANCE ? 0 : chance / rest;
}

/** The largest rate at which further runs lead to a solution that may be declared, beyond what the pending ones do. */
function rateOf(
  prepared: Prepared,
  asked: Extract<Asked, { kind: 'confidence' }>,
  belief: Belief,
  pending: number,
): number {
  const { l1 } = prepared.request.goal;
  const m = belief.outputs.length;
  const draws = makeDraws(DRAWS.future, m);
  const futures = makeDraws(FUTURES, 2 * m);
  const declared = (further: number) => {
    if (belief.runs + further < leastRuns(prepared, belief)) return 0;
    let hits = 0;
    for (let f = 0; f < FUTURES; f++) {
      const later = future(belief, further, futures, f);
      const probability = (asked.of === 'run' ? ofRun : ofMean)(later, l1, draws);
      if (isEnough(asked, later, probability)) hits++;
    }
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
  const outputs = belief.outputs.map((output, j): OutputBelief => {
    const normal = (of: Float64Array, second: boolean) => of[f * m + 2 * j + (second ? 1 : 0)]!;
    const noise = drawNoise(output, belief.runs, normal(forNoise, false));
    const given = meanGiven(output, belief.runs, noise);
    const theta = given.mean + Math.sqrt(given.variance) * normal(forMean, false);
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
  return { ...belief, runs: belief.runs + further, outputs };
}

/** The proposal that a decision means in place of another one. */
export function asProposal(prepared: Prepared, decision: Decision, otherwise: Proposal): Proposal {
  const { history, space } = prepared.request;
  const { kind, standing, tried } = decision;
  const told = standing ? { standing } : {};
  if (kind === 'reached') return { kind: 'nothing-new', reason: 'reached', bestIndex: standing!.row, ...told };
  if (kind === 'new') return { ...otherwise, ...told };
  const row = prepared.cases.rows[tried!.members[0]!]!;
  const n = space.variables.length;
  const input = history.X.slice(row * n, (row + 1) * n);
  return { kind: 'candidate', input, repeatOf: row, expected: null, chance: null, ...told };
}
