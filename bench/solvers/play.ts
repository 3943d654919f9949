/** Plays one problem with the optimizer of this repository, as a client of the service would. */
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { History, Proposal, StopRule, SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { judge } from '../problems/judge.ts';
import { type Outputs, type Problem, toDefinition } from '../problems/problem.ts';

/** Limit of the work per suggestion, in million floating point operations: the default of the service. */
export const WORK_LIMIT = 15_000;

export interface Play {
  /** Evaluations made, including designed cases and the start point. */
  readonly runs: number;
  readonly solved: boolean;
  /** Number of them that the optimizer suggested. */
  readonly suggestions: number;
  /** Wall time in the optimizer. */
  readonly seconds: number;
  /** Reason for the end: satisfied, budget, over, or the reason that the optimizer gave. */
  readonly end: string;
}

/** One evaluation of a problem. */
export interface Evaluation {
  readonly input: readonly number[];
  readonly output: Outputs;
}

/** Differences from an ordinary play. */
export interface Circumstances {
  /** Earlier evaluations, known before the designed cases. They are no runs of the play. */
  readonly known?: readonly Evaluation[];
  /** Whether designed cases are evaluated; true unless stated. */
  readonly hasDesign?: boolean;
  /** The client's initial input in place of the problem's; one that is known is no run, but a row of the history. */
  readonly start?: readonly number[];
  /** Output that the client has reported of run `index`, from 0, once `count` runs are known. */
  readonly report?: (output: readonly number[], index: number, count: number) => readonly number[];
  /** The stop rule of every request. */
  readonly stop?: StopRule;
  /** Ends the play before the next suggestion. */
  readonly isOver?: () => boolean;
  /** Sees every request with its proposal. */
  readonly watch?: (request: SuggestRequest, proposal: Proposal) => void;
  /** Machines that run suggested inputs at the same time, the longest open one ending first; default: 1. */
  readonly machines?: number;
}

/** Plays designed cases, the start point, then suggestions until everything is satisfied or the budget is spent. */
export function play(problem: Problem, seed: number, circumstances: Circumstances = {}): Play {
  return playAndRecord(problem, seed, circumstances).play;
}

/** As `play`, with the runs that were made. */
export function playAndRecord(
  problem: Problem,
  seed: number,
  circumstances: Circumstances = {},
): { readonly play: Play; readonly evaluations: readonly Evaluation[] } {
  const { known = [], hasDesign = true, start = problem.start, stop, isOver, watch, machines = 1 } = circumstances;
  const goal = compileGoal(toDefinition(problem));
  const space = { variables: problem.variables };
  const initial = known.find(({ input }) => input.every((value, v) => value === start[v]));
  const earlier = initial ? [...known, initial] : known;
  const record = makeRecord(problem, seed, { ...circumstances, known: earlier });
  const started = performance.now();
  const design = hasDesign
    ? initialDesign({ space, outputCount: problem.objectives.length, caseCount: null, seed })
    : { count: 0, X: new Float64Array(0) };
  let seconds = (performance.now() - started) / 1000;
  const n = problem.variables.length;
  const finish = (end: string) => {
    const suggestions = Math.max(0, record.count() - design.count - 1);
    const play: Play = { runs: record.count(), solved: end === 'satisfied', suggestions, seconds, end };
    return { play, evaluations: record.evaluations };
  };
  for (let i = 0; i < design.count; i++) {
    if (record.evaluate(design.X.subarray(i * n, (i + 1) * n))) return finish('satisfied');
  }
  if (!initial && record.evaluate(start)) return finish('satisfied');
  const firstSuggested = earlier.length + record.count();
  const open: Float64Array[] = [];
  while (record.count() + open.length < problem.budget) {
    if (isOver?.()) return finish('over');
    const { convergence } = problem;
    const request: SuggestRequest = {
      space,
      goal,
      history: record.history(),
      firstSuggested,
      firstOwn: known.length,
      convergence,
      ...(stop && { stop }),
      ...(open.length > 0 && { pending: Float64Array.from(open.flatMap((x) => [...x])) }),
      seed,
      workLimit: WORK_LIMIT,
    };
    const before = performance.now();
    const proposal = suggest(request);
    seconds += (performance.now() - before) / 1000;
    watch?.(request, proposal);
    if (proposal.kind === 'candidate') open.push(proposal.input);
    // As the service does: it waits for an open run, then asks again.
    else if (open.length === 0) return finish(proposal.reason);
    const isWaiting = proposal.kind === 'nothing-new' || open.length === machines;
    if (isWaiting && record.evaluate(open.shift()!)) return finish('satisfied');
  }
  return finish(open.some((x) => record.evaluate(x)) ? 'satisfied' : 'budget');
}

/** The growing history of one play. */
function makeRecord(problem: Problem, seed: number, { known = [], report }: Circumstances) {
  const m = problem.objectives.length;
  const evaluations: Evaluation[] = [];
  const reported = ({ output }: Evaluation, index: number) =>
    output && report ? report(output, index, evaluations.length) : output;
  return {
    evaluations,
    count: (): number => evaluations.length,
    /** Evaluates an input and returns whether what is reported of a run satisfies everything. */
    evaluate(x: ArrayLike<number>): boolean {
      const input = Array.from(x);
      const output = problem.evaluate(input, { seed, index: evaluations.length });
      evaluations.push({ input, output: output?.every(Number.isFinite) ? output : null });
      return report
        ? evaluations.some((one, index) => judge(problem, reported(one, index)))
        : judge(problem, evaluations.at(-1)!.output);
    },
    history: (): History => {
      const rows = [...known.map(({ output }) => output), ...evaluations.map(reported)];
      return {
        count: rows.length,
        X: Float64Array.from([...known, ...evaluations].flatMap(({ input }) => input)),
        Y: Float64Array.from(rows.flatMap((output) => output ?? new Array<number>(m).fill(0))),
        failed: Uint8Array.from(rows, (output) => (output ? 0 : 1)),
      };
    },
  };
}
