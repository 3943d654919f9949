/** Reports on a problem: the answer so far, its misses, and why the search ended. */
import { probabilityOf } from '../../../clients/typescript/src/evaluator/nearness.ts';
import type { Backsolve, ExplainedObjective } from '../../../clients/typescript/src/index.ts';
import { countOf, describeMissed, inAllDigits, shownByName } from './numbers.ts';
import {
  anyProblem,
  byName,
  type FoundProblem,
  findProblem,
  inputNamesOf,
  nameOfProblem,
  outputNamesOf,
} from './problems.ts';
import { defineTool, fields, type Said } from './tool.ts';

export const readProblem = defineTool({
  name: 'read_problem',
  title: 'Read how a problem stands',
  description:
    'Returns the answer so far, a run or with confirm and confidence an input and the mean of its runs, with its inputs and outputs, what it misses, how many runs there were, whether the search has ended and why, and advice.',
  schema: fields({ problem: anyProblem }),
  isReadOnly: true,
  run: ({ client, args }) => describeProblem(client, args.problem),
});

export async function describeProblem(client: Backsolve, problem: number | string): Promise<Said> {
  const found = await findProblem(client, problem);
  const { batch, objective } = found;
  const best = objective?.answer ?? null;
  const data = {
    problem,
    name: batch === null ? (objective?.label ?? null) : nameOfProblem(batch),
    status: statusOf(found),
    why: whyOf(found),
    progress: progressOf(found),
    best: best && {
      run: best.name,
      kind: best.kind,
      meanOfRuns: best.runs,
      inputs: best.inputByName ?? byName(inputNamesOf(objective!), best.input),
      outputs: best.outputByName ?? byName(outputNamesOf(objective!), best.output),
      missedBy: byName(outputNamesOf(objective!), best.missedBy),
      worstMissInTolerances: best.worstMiss,
    },
    probability: (objective && probabilityOf(objective.standing, objective)) ?? objective?.standing?.run ?? null,
    advice: objective?.advice.map(({ sentence }) => sentence) ?? [],
    otherSearches: found.searches.slice(1),
  };
  return { text: describe(data), data };
}

function describe({ problem, status, why, progress, best, advice, otherSearches }: Standing): string {
  const lines = [`Problem ${problem}: ${SENTENCES[status]}${why === null ? '' : ` ${why}`}`, progress];
  if (best !== null) {
    lines.push(
      `${calledIn(best)}: ${inAllDigits(best.inputs)}`,
      `gives ${shownByName(best.outputs)}.${describeMissed(best.missedBy)}`,
    );
  }
  lines.push(...advice.map((sentence) => `Advice: ${sentence}`));
  if (otherSearches.length > 0) lines.push(`It has ${countOf(otherSearches.length, 'further search')}, in the data.`);
  return lines.join('\n');
}

/** The answer that was declared is an input; single runs at it may miss. */
function calledIn({ run, kind, meanOfRuns }: NonNullable<Standing['best']>): string {
  if (kind !== 'declared' && kind !== 'likeliest') return `Best so far, ${run}`;
  const mean = meanOfRuns === null ? '' : `, with the mean of ${countOf(meanOfRuns, 'run')}`;
  return `${kind === 'declared' ? 'Declared' : 'Most likely so far'}, the input of ${run}${mean}`;
}

interface Standing {
  readonly problem: number | string;
  readonly status: Status;
  readonly why: string | null;
  readonly progress: string;
  readonly best: {
    readonly run: string;
    readonly kind: string;
    readonly meanOfRuns: number | null;
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly outputs: Readonly<Record<string, number>>;
    readonly missedBy: Readonly<Record<string, number>>;
  } | null;
  readonly advice: readonly string[];
  readonly otherSearches: readonly unknown[];
}

const SENTENCES = {
  'first cases': 'its designed cases are being run; the search begins after them.',
  searching: 'the search is going on.',
  paused: 'it is paused; a person can resume it on the page of the service.',
  solved: 'solved.',
  ended: 'the search has ended without meeting every target.',
  failed: 'it was given up.',
  cancelled: 'it was cancelled.',
} as const;

type Status = keyof typeof SENTENCES;

function statusOf({ batch, objective }: FoundProblem): Status {
  if (batch?.status === 'failed' || batch?.status === 'cancelled') return batch.status;
  if (batch?.isPaused) return 'paused';
  if (objective === null) return batch?.status === 'completed' ? 'failed' : 'first cases';
  if (objective.stopReason === 0) return 'searching';
  return objective.stopReason === 1 ? 'solved' : 'ended';
}

function whyOf({ batch, searches, objective }: FoundProblem): string | null {
  return batch?.failureReason ?? searches[0]?.failureReason ?? objective?.endReason ?? diagnosisOf(objective);
}

function diagnosisOf(objective: ExplainedObjective | null): string | null {
  return objective?.diagnosis?.detail ?? null;
}

function progressOf({ batch, objective }: FoundProblem): string {
  const { planned, done, failed } = batch?.progress.cases ?? { planned: 0, done: 0, failed: 0 };
  const designed = planned === 0 ? [] : [`${done + failed} of ${countOf(planned, 'designed case')} run`];
  const { completedCount, openCount, maximumAttempts } = objective ?? {};
  const suggested =
    objective === null
      ? []
      : [`${countOf(completedCount!, 'suggested run')} made, ${openCount} open, at most ${maximumAttempts}`];
  return `Runs: ${[...designed, ...suggested].join('; ')}.`;
}
