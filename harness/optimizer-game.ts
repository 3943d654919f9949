import { initialDesign } from '../src/optimizer/initial-design.ts';
import type { Goal, Proposal, SuggestRequest, Target, Variable } from '../src/optimizer/interface/problem.ts';
import { type Prepared, prepare } from '../src/optimizer/search/prepare.ts';
import { suggest, suggestFrom } from '../src/optimizer/suggest.ts';

export interface Game {
  readonly variables: readonly Variable[];
  readonly goal: Goal;
  /** null for a run that fails. */
  readonly evaluate: (x: readonly number[]) => readonly number[] | null;
  readonly seed?: number;
  readonly convergence?: number;
  /** Called with every request after its answer, and with the request after the last suggestion. */
  readonly watch?: (prepared: Prepared) => void;
}

export interface Played {
  /** Suggested inputs with their outputs; null where the run failed. */
  readonly suggestions: readonly { readonly x: readonly number[]; readonly y: readonly number[] | null }[];
  /** Number of the suggestion that met the goal, from 1; 0 when a designed case did, -1 when none did. */
  readonly solvedAt: number;
  /** The proposal that ended the game because there was nothing new; otherwise null. */
  readonly end: Extract<Proposal, { kind: 'nothing-new' }> | null;
  /** The request after the last suggestion. */
  readonly request: SuggestRequest;
}

export const float = (minimum: number, maximum: number): Variable => ({ kind: 'float', minimum, maximum });

const INTERVAL = { lowerOpen: false, upperOpen: false, direction: 'none' } as const;

export const within = (center: number, tolerance: number): Target => ({
  ...INTERVAL,
  lower: center - tolerance,
  upper: center + tolerance,
});
export const atMost = (upper: number): Target => ({ ...INTERVAL, lower: Number.NEGATIVE_INFINITY, upper });
export const atLeast = (lower: number): Target => ({ ...INTERVAL, lower, upper: Number.POSITIVE_INFINITY });
export const minimize = (upper: number): Target => ({ ...atMost(upper), direction: 'minimize' });
export const maximize = (lower: number): Target => ({ ...atLeast(lower), direction: 'maximize' });

/** An exact goal: the L1 norm of the outputs minus `center` must be at most `threshold`. */
export function exactly(center: readonly number[], threshold: number): Goal {
  return { targets: center.map((one) => within(one, threshold / center.length)), l1: { center, threshold } };
}

function isMet({ targets, l1 }: Goal, y: readonly number[]): boolean {
  if (l1) return y.reduce((sum, value, j) => sum + Math.abs(value - l1.center[j]!), 0) <= l1.threshold;
  return targets.every(({ lower, upper }, j) => y[j]! >= lower && y[j]! <= upper);
}

/** The proposals for `count` inputs one after the other, each with those before it pending; fewer when nothing is new. */
export function proposeTogether(
  request: SuggestRequest,
  count: number,
): readonly Extract<Proposal, { kind: 'candidate' }>[] {
  const proposals: Extract<Proposal, { kind: 'candidate' }>[] = [];
  while (proposals.length < count) {
    const proposal = suggest(withPending(request, proposals));
    if (proposal.kind === 'nothing-new') break;
    proposals.push(proposal);
  }
  return proposals;
}

/** The request while the proposed inputs are pending. */
export function withPending(
  request: SuggestRequest,
  proposals: readonly { readonly input: Float64Array }[],
): SuggestRequest {
  return { ...request, pending: Float64Array.from(proposals.flatMap(({ input }) => [...input])) };
}

/** Plays designed cases, then at most `limit` suggestions, until the goal is met or nothing new is proposed. */
export function play(game: Game, limit: number): Played {
  const { variables, goal, evaluate, seed = 1, convergence = 1e-6, watch } = game;
  const space = { variables };
  const m = goal.targets.length;
  const n = variables.length;
  const design = initialDesign({ space, outputCount: m, caseCount: null, seed });
  const X = Array.from(design.X);
  const Y: number[] = [];
  const failed: number[] = [];
  const record = (x: readonly number[]) => {
    const y = evaluate(x);
    failed.push(y ? 0 : 1);
    Y.push(...(y ?? new Array<number>(m).fill(Number.NaN)));
    return y;
  };
  const build = (): SuggestRequest => ({
    space,
    goal,
    history: {
      count: failed.length,
      X: Float64Array.from(X),
      Y: Float64Array.from(Y),
      failed: Uint8Array.from(failed),
    },
    firstSuggested: design.count,
    convergence,
    seed,
    workLimit: 5000,
  });
  let solvedAt = -1;
  for (let i = 0; i < design.count; i++) {
    const y = record(X.slice(i * n, (i + 1) * n));
    if (y && isMet(goal, y)) solvedAt = 0;
  }
  const suggestions: { x: readonly number[]; y: readonly number[] | null }[] = [];
  while (solvedAt < 0 && suggestions.length < limit) {
    const prepared = prepare(build());
    const proposal = suggestFrom(prepared);
    watch?.(prepared);
    if (proposal.kind === 'nothing-new') return { suggestions, solvedAt, end: proposal, request: prepared.request };
    const x = Array.from(proposal.input);
    X.push(...x);
    const y = record(x);
    suggestions.push({ x, y });
    if (y && isMet(goal, y)) solvedAt = suggestions.length;
  }
  const request = build();
  watch?.(prepare(request));
  return { suggestions, solvedAt, end: null, request };
}
