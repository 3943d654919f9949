/**
 * Defines the answer of a search: the one input that every surface names, with what the runs at it gave. Nothing else decides it.
 *
 * - One run, several solutions: the run that met every target, of several solutions the first.
 * - confirm, confidence: the input that was declared, else the one that comes nearest to it, with the mean of the runs there and never
 *   the output of one lucky run.
 * - aimAtRobustness: the solution that holds most surely.
 * - A fit: the least misfit. Outputs to minimize or maximize: the best value, or the best compromise of the front.
 * - Otherwise the nearest run (nearest.ts), which is the best compromise where targets are out of reach.
 */
import { evaluateOutput } from './acceptance.ts';
import type { InputStanding } from './explanation.ts';
import type { Inverse } from './inverse.ts';
import { isNearer, makeMissMeasure, type NearestRun, type WeighedDefinition } from './nearest.ts';
import { type Objective, outputsWithoutTarget } from './objective.ts';
import { isBetter, isEligible } from './optimum.ts';
import { type Quest, questOf } from './quest.ts';
import { StopReason } from './stop-reason.ts';

export const ANSWER_KINDS = [
  /** A run that meets every target. */
  'met',
  /** An input that meets every target as surely as asked, by confirm or confidence. */
  'declared',
  /** With confirm or confidence, before an input is declared: the one that comes nearest to it. */
  'likeliest',
  /** With aimAtRobustness: the solution that holds most surely when it is made with tolerances. */
  'surest',
  /** The least misfit among the runs that meet all limits. */
  'best-fit',
  /** The best of an output to minimize or maximize among the runs that meet everything else. */
  'best-value',
  /** The best compromise of a front. */
  'knee',
  /** No run meets everything: the one that comes nearest. */
  'nearest',
] as const;
type AnswerKind = (typeof ANSWER_KINDS)[number];

export interface Answer extends Omit<NearestRun, 'source'> {
  readonly kind: AnswerKind;
  /** The first run at the input. An inverse may belong to another objective of the trial. */
  readonly source:
    | Extract<NearestRun['source'], { readonly kind: 'case' }>
    | (Extract<NearestRun['source'], { readonly kind: 'inverse' }> & {
        readonly objectiveId: number;
        /** Within the trial. */
        readonly objectiveNumber: number;
      });
  /** Number of runs whose mean the output is; null for an input that an earlier release declared. */
  readonly runs: number | null;
}

/** The optimal inverse, as it is stored. */
export type OptimalRun = Pick<Inverse, 'id' | 'iteration' | 'input' | 'output'>;

/** Facts known of an objective besides itself. */
export interface KnownOfSearch {
  readonly nearest: NearestRun | null;
  readonly optimal: OptimalRun | null;
  readonly standing: InputStanding | null;
}

type Asked = WeighedDefinition & Pick<Objective, 'id' | 'number' | 'options' | 'stopReason' | 'dataRevision'>;

/** null before a run has succeeded, and while nothing has been judged. */
export function answerOf(objective: Asked, known: KnownOfSearch): Answer | null {
  const quest = questOf(objective);
  return isOfSeveralRuns(quest) ? ofSeveralRuns(objective, known) : ofOneRun(objective, quest, known);
}

/** For example "run 4" or "case 3". */
export function nameOfRun(source: Answer['source'] | NearestRun['source']): string {
  return source.kind === 'inverse' ? `run ${source.iteration}` : `case ${source.number + 1}`;
}

/** The number of its first run, where that is one of the objective itself. */
export function ownIterationOf(answer: Pick<Answer, 'source'> | null, objectiveId: number): number | null {
  return answer?.source.kind === 'inverse' && answer.source.objectiveId === objectiveId
    ? answer.source.iteration
    : null;
}

/** Whether the runs at an input are judged together. */
export function isOfSeveralRuns({ kind }: Pick<Quest, 'kind'>): boolean {
  return kind === 'mean-of-runs' || kind === 'confidence';
}

/**
 * Standing of the input that comes nearest to being declared, unless it is out of date: until the next suggestion, a
 * change of the data leaves open what it means. A valid verdict has been found to rest on unchanged runs.
 */
export function currentStanding(
  { stopReason, dataRevision }: Pick<Objective, 'stopReason' | 'dataRevision'>,
  standing: InputStanding | null | undefined,
): InputStanding | null {
  if (!standing) return null;
  // An earlier release did not store the revision.
  const { revision = dataRevision } = standing;
  return stopReason === StopReason.satisfied || revision === dataRevision ? standing : null;
}

function ofSeveralRuns(objective: Asked, { nearest, optimal, standing }: KnownOfSearch): Answer | null {
  const isDeclared = objective.stopReason === StopReason.satisfied && optimal?.output != null;
  const current = currentStanding(objective, standing);
  const isOfEnd = !isDeclared || (current !== null && isSame(current.input, optimal.input));
  if (current?.output && current.from && isOfEnd) {
    const { input, output, meanOf = null } = current;
    const source = sourceOf(objective, current, current.from);
    return judged(objective, isDeclared ? 'declared' : 'likeliest', source, { input, output, runs: meanOf });
  }
  if (isDeclared) return { ...ofInverse(objective, 'declared', optimal)!, runs: null };
  return nearest && ofNearest(objective, 'nearest', nearest);
}

function sourceOf(
  objective: Asked,
  { inverseId, objectiveNumber }: InputStanding,
  from: NonNullable<InputStanding['from']>,
): Answer['source'] {
  if ('caseNumber' in from) return { kind: 'case', number: from.caseNumber };
  const { iteration, objectiveId = objective.id } = from;
  const isOwn = objectiveId === objective.id;
  const of = { objectiveId, objectiveNumber: isOwn ? objective.number : (objectiveNumber ?? 0) };
  return { kind: 'inverse', id: inverseId ?? 0, iteration, ...of };
}

function ofOneRun(objective: Asked, quest: Quest, { nearest, optimal }: KnownOfSearch): Answer | null {
  const isNearest = optimal?.output == null || (nearest !== null && isAnswer(objective, quest, nearest, optimal));
  if (isNearest) return nearest && ofNearest(objective, kindOf(objective, quest, nearest.output), nearest);
  return ofInverse(objective, kindOf(objective, quest, optimal.output!), optimal);
}

/** Whether the nearest run is the answer beside an optimal one: it names the same result, or is a better one, as a case may be. */
function isAnswer(objective: Asked, quest: Quest, nearest: NearestRun, { input, output }: OptimalRun): boolean {
  if (isSame(nearest.input, input) && isSame(nearest.output, output)) return true;
  const [challenger, holder] = [evaluateOutput(objective, nearest.output), evaluateOutput(objective, output!)];
  if (holder.isSatisfied || !isEligible(challenger)) return false;
  if (quest.kind !== 'front') return isBetter(challenger, holder);
  // The knee of a front is chosen among all runs on it.
  if (outputsWithoutTarget(objective).length > 1) return false;
  const { measure } = makeMissMeasure(objective);
  return isNearer(measure(nearest.output), measure(output!));
}

function kindOf(objective: Asked, quest: Quest, output: readonly number[]): AnswerKind {
  const evaluation = evaluateOutput(objective, output);
  if (!isEligible(evaluation)) return 'nearest';
  if (quest.kind === 'fit') return 'best-fit';
  if (evaluation.isSatisfied) return quest.kind === 'surest' ? 'surest' : 'met';
  return outputsWithoutTarget(objective).length > 1 ? 'knee' : 'best-value';
}

function ofNearest(objective: Asked, kind: AnswerKind, { source, ...run }: NearestRun): Answer {
  const from =
    source.kind === 'case' ? source : { ...source, objectiveId: objective.id, objectiveNumber: objective.number };
  return { ...run, kind, source: from, runs: 1 };
}

function ofInverse(objective: Asked, kind: AnswerKind, { id, iteration, input, output }: OptimalRun): Answer {
  const source = {
    kind: 'inverse',
    id,
    iteration,
    objectiveId: objective.id,
    objectiveNumber: objective.number,
  } as const;
  return judged(objective, kind, source, { input: input!, output: output!, runs: 1 });
}

function judged(
  objective: Asked,
  kind: AnswerKind,
  source: Answer['source'],
  run: Pick<Answer, 'input' | 'output' | 'runs'>,
): Answer {
  const measure = makeMissMeasure(objective);
  return { kind, source, ...run, misses: measure.missesOf(run.output), missedBy: measure.missedByOf(run.output) };
}

function isSame(a: readonly number[], b: readonly number[] | null): boolean {
  return b !== null && a.length === b.length && a.every((value, i) => value === b[i]);
}
