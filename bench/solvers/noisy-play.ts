/** Plays noisy problems until an input is declared to hold, and checks whether it does. */
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Noise, Standing } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { judge } from '../problems/judge.ts';
import { toDefinition } from '../problems/problem.ts';
import type { RandomSystem } from '../problems/random-systems.ts';
import { WORK_LIMIT } from './play.ts';

export type ConfidenceOf = 'run' | 'mean';

/** The confidence asked for by default. */
export const CONFIDENCE = 0.9;
/** A seed that no play has. */
const FRESH_SEED = 1e6;

export interface Truth {
  /** Share of fresh runs that meet all targets. */
  readonly run: number;
  /** Whether the outputs do on average. */
  readonly mean: boolean;
}

/** The figures reported with one answer. */
interface Statement {
  readonly input: readonly number[];
  readonly standing: Standing;
}

export interface NoisyPlay {
  readonly runs: number;
  /** The input declared to hold; null when none was. */
  readonly declared: readonly number[] | null;
  /** One per answer, in order, once a run is known. */
  readonly statements: readonly Statement[];
  /** Reason for the end: reached, budget, or the reason that the optimizer gave. */
  readonly end: string;
}

/** @param count fresh runs */
export function truthAt(system: RandomSystem, input: readonly number[], count: number): Truth {
  const outputs = Array.from({ length: count }, (_, index) => system.evaluate(input, { seed: FRESH_SEED, index })!);
  const means = system.objectives.map((_, j) => outputs.reduce((sum, y) => sum + y[j]! / count, 0));
  return { run: outputs.filter((y) => judge(system, y)).length / count, mean: judge(system, means) };
}

/** @param areKnown whether the standard deviations are stated, where they are the same everywhere; else they are estimated */
export function playNoisily(
  system: RandomSystem,
  seed: number,
  of: ConfidenceOf,
  { areKnown = false, least = CONFIDENCE }: { areKnown?: boolean; least?: number } = {},
): NoisyPlay {
  const n = system.variables.length;
  const m = system.objectives.length;
  const space = { variables: system.variables };
  const design = initialDesign({ space, outputCount: m, caseCount: null, seed });
  const X = [...design.X, ...system.start];
  const Y: number[] = [];
  const evaluate = () => {
    const index = Y.length / m;
    Y.push(...system.evaluate(X.slice(index * n, (index + 1) * n), { seed, index })!);
  };
  while (Y.length / m < X.length / n) evaluate();
  const firstSuggested = Y.length / m;
  const statements: Statement[] = [];
  const noise: Noise = {
    standardDeviations: areKnown ? system.deviations : null,
    asked: { kind: 'confidence', least, of },
  };
  for (;;) {
    const count = Y.length / m;
    const history = { count, X: Float64Array.from(X), Y: Float64Array.from(Y), failed: new Uint8Array(count) };
    const goal = compileGoal(toDefinition(system));
    const { convergence } = system;
    const proposal = suggest({ space, goal, history, firstSuggested, convergence, seed, workLimit: WORK_LIMIT, noise });
    const { standing } = proposal;
    const inputOf = (row: number) => X.slice(row * n, (row + 1) * n);
    if (standing) statements.push({ input: inputOf(standing.row), standing });
    if (proposal.kind === 'nothing-new') {
      const declared = proposal.reason === 'reached' ? inputOf(proposal.bestIndex) : null;
      return { runs: count, declared, statements, end: proposal.reason };
    }
    if (count >= system.budget) return { runs: count, declared: null, statements, end: 'budget' };
    X.push(...proposal.input);
    evaluate();
  }
}
