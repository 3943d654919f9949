/**
 * Chooses the run that tells most where runs are noisy: at a new input, or again at one that has been evaluated. Each candidate is worth
 * the largest rate at which further runs at it lead to a solution that may be declared,
 *   max over t of P(declared after t further runs) / t,
 * where the probability is taken over what these runs may bring by the present belief.
 *
 * Source: Gittins 1979, Bandit processes and dynamic allocation indices, for the index of a candidate by its own best stopping
 * time; Frazier, Powell and Dayanik 2008, A knowledge-gradient policy, for simulated future beliefs.
 */

import { byLoss } from '../goal/targets.ts';
import type { Goal, Proposal, Standing } from '../interface/problem.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../search/prepare.ts';
import { featuresOf } from '../space/encoding.ts';
import {
  type Draws,
  foresight,
  jointExcess,
  makeDraws,
  ofRun,
  ofShare,
  withLikelyNoise,
  withNoiseTogether,
  withValue,
} from './probability.ts';
import {
  type Beliefs,
  beliefsAt,
  judgeBeliefs,
  makeModels,
  type Probabilities,
  type Tried,
  triedInputs,
} from './standing.ts';

/** Draws of what is reported and of the ranking. */
const DRAWS = { reported: 1024, ranking: 32 };
/** Inputs with the smallest losses that are ranked, and those of them that are judged. */
const RANKED = 30;
const JUDGED = 4;
/** A repeat at less hope of ever being declared is wasted. */
const LEAST_HOPE = 0.005;
/** An input whose means meet the targets with a smaller probability is not run again while there is a new one. */
const NEGLIGIBLE = 0.01;
/** The largest odds that other inputs lend the models: noise there may be different. */
const MOST_TRUST = 4;

interface Judged {
  readonly tried: Tried;
  readonly beliefs: Beliefs;
  readonly standing: Standing;
}

/** The criterion by which the runs at one input are judged. */
export interface Asked {
  /** The units in which the mean of the runs at an input is judged. */
  readonly meansIn: 'means' | 'outputs';
  /** Orders inputs, the largest first. */
  rankOf(probabilities: Probabilities): number;
  /** Whether the runs at an input alone show what is asked. */
  isShown(prepared: Prepared, tried: Tried): boolean;
  isReached(prepared: Prepared, judged: Judged): boolean;
  /** Whether an input may be run again. */
  isRepeatable(prepared: Prepared, tried: Tried): boolean;
  /** The rate at which further runs at an input lead to a solution that may be declared. @param tried null for a new input */
  rateOf(prepared: Prepared, beliefs: Beliefs, tried: Tried | null): number;
}

/** The next action: run the new input found, repeat an evaluated one instead, or end. */
export interface Decision {
  readonly kind: 'new' | 'repeat' | 'reached';
  /** null before a run has succeeded. */
  readonly standing: Standing | null;
  /** The input to repeat. */
  readonly tried: Tried | null;
}

/** The input that comes nearest to what is asked; null before a run has succeeded at an admissible input. */
export function bestStanding(prepared: Prepared, asked: Asked): Standing | null {
  if (prepared.cases.N === 0) return null;
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
  if (first && asked.isReached(prepared, first)) return { kind: 'reached', standing, tried: first.tried };
  // Far from the targets every repeat is wasted.
  if (found && !judged.some((one) => one.standing.mean.value > NEGLIGIBLE))
    return { kind: 'new', standing, tried: null };
  const fresh = found
    ? asked.rateOf(prepared, beliefsAt(models, goal, asked.meansIn, featuresOf(encoding, found), null), null)
    : LEAST_HOPE;
  let best: Tried | null = null;
  let most = fresh;
  for (const { tried, beliefs } of judged) {
    if (!asked.isRepeatable(prepared, tried)) continue;
    const rate = asked.rateOf(prepared, beliefs, tried);
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
  const judged = triedInputs(prepared)
    .sort((a, b) => order(a.members[0]!, b.members[0]!))
    .slice(0, RANKED)
    .map((tried) => ({ tried, beliefs: beliefsAt(models, goal, asked.meansIn, tried.u, tried) }))
    .map((one, _, all) => ({ ...one, beliefs: withTrust(one, all, goal, ranking) }))
    .map((one) => ({ ...one, value: asked.rankOf(judgeBeliefs(one.beliefs, goal, ranking)) }))
    .sort((a, b) => b.value - a.value)
    .filter(({ tried }, rank) => rank < JUDGED || asked.isShown(prepared, tried))
    .map(({ tried, beliefs }): Judged & { readonly rank: number } => {
      const row = cases.rows[tried.members[0]!]!;
      const runs = tried.members.length + tried.failures;
      const { run: decisive, mean } = judgeBeliefs(beliefs, goal, reported);
      // The means of outputs seem to go together less than their runs do.
      const excess = goal.l1 ? 0 : jointExcess(beliefs.forRun, models.correlation, reported.forMean);
      const likely = ofRun(withLikelyNoise(beliefs.forRun), goal.l1, together).value + excess;
      const told = withValue(ofRun(beliefs.forRun, goal.l1, reported), likely);
      const run = ofShare(beliefs.forRun, goal.l1, reported, told);
      const standing = { row, runs, run, mean };
      const one = { tried, beliefs, standing };
      return { ...one, rank: (asked.isReached(prepared, one) ? 2 : 0) + asked.rankOf({ run: decisive, mean }) };
    })
    .sort((a, b) => b.rank - a.rank);
  return { models, judged };
}

/** The models are trusted as far as they foresaw the hits and misses at the other inputs that have been run again. */
function withTrust(
  { tried, beliefs }: Pick<Judged, 'tried' | 'beliefs'>,
  all: readonly Pick<Judged, 'tried' | 'beliefs'>[],
  { l1 }: Goal,
  draws: Draws,
): Beliefs {
  const others = all.filter((one) => one.tried !== tried && one.tried.members.length > 1);
  const odds = others.reduce((product, one) => product * foresight(one.beliefs.forRun, l1, draws), 1);
  return { ...beliefs, forRun: { ...beliefs.forRun, trust: Math.min(MOST_TRUST, odds) } };
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
