/** Says in words why an objective ended. */
import { compileGoal, distanceToInterval } from './acceptance.ts';
import { type Answer, nameOfRun } from './answer.ts';
import type { Ending } from './ending.ts';
import { describeFit } from './fit-quality.ts';
import { makeMissMeasure } from './nearest.ts';
import { isAspiration, type Objective, type ObjectiveDefinition } from './objective.ts';
import { questOf } from './quest.ts';
import { StopReason } from './stop-reason.ts';

/** At most so many misses are listed, the worst ones. */
const TOLD_MISSES = 3;
/** Smaller reductions of a misfit are not told apart. */
const NEXT_TO_NOTHING = 0.01;
/** Digits of what models expect. */
const ROUGH = 2;

/** The answer, as sentences name it. */
export interface ShownRun {
  /** For example "run 4", "case 3" or "the input of run 4". */
  readonly name: string;
  readonly output: readonly number[];
  /** The largest miss in units of its tolerance; null where the misses are not to be told. */
  readonly worstMiss: number | null;
  /** With confirm or confidence: of how many runs the output is the mean, at an input that was not declared. */
  readonly undeclaredRuns?: number;
}

type Evidence = Extract<Ending, { readonly quiet: number }>;

type Ended = Pick<
  Objective,
  | 'stopReason'
  | 'ended'
  | 'attemptCount'
  | 'maximumAttempts'
  | 'options'
  | 'labels'
  | 'initialInput'
  | 'fixedInputs'
  | keyof ObjectiveDefinition
>;

export function shownRunOf(answer: Answer | null): ShownRun | null {
  if (answer === null) return null;
  const { kind, source, output, misses, runs } = answer;
  const name = nameOfRun(source);
  // The answer that was declared is the input; single runs at it may miss.
  if (kind === 'declared') return { name: `the input of ${name}`, output, worstMiss: 0 };
  if (kind === 'likeliest') return { name: `the input of ${name}`, output, worstMiss: null, undeclaredRuns: runs ?? 1 };
  const areAspirationsLeft = kind === 'best-value' || kind === 'knee';
  return { name, output, worstMiss: areAspirationsLeft ? null : Math.max(0, ...misses) };
}

/** One or two sentences with figures; null while the objective runs. */
export function endReasonOf(objective: Ended, best: ShownRun | null): string | null {
  switch (objective.stopReason) {
    case StopReason.running:
      return null;
    case StopReason.satisfied:
      return describeSuccess(objective, best);
    case StopReason.exhausted:
      return `Exhausted: ${describeAttempts(objective)}${questOf(objective).missing}${describeBest(objective, best)}.`;
    case StopReason.stopped:
      return `Stopped${describeStop(objective, best)}.`;
  }
}

function describeSuccess(objective: Ended, best: ShownRun | null): string {
  if (best === null) return 'Satisfied.';
  if (isFit(objective)) {
    const { ended } = objective;
    const left = ended?.kind === 'fitted' ? ended.expectedGain : null;
    const more = left === null ? '' : `; the models expect at most ${roughly(Math.max(NEXT_TO_NOTHING, left))} less`;
    return `Satisfied: ${best.name} fits the data best, with ${describeFit(objective, freeInputs(objective), best.output)}${more}.`;
  }
  return `Satisfied: ${best.name} meets every target${questOf(objective).inWords}.`;
}

/** Rounds a prediction of the models, which is never exact. */
function roughly(value: number): string {
  return String(Number(value.toPrecision(ROUGH)));
}

function isFit(objective: Ended): boolean {
  return questOf(objective).kind === 'fit';
}

/** Number of inputs that may vary, as far as the objective says. */
export function freeInputs({ initialInput, fixedInputs }: Pick<Objective, 'initialInput' | 'fixedInputs'>): number {
  return initialInput.length - (fixedInputs?.filter((value) => value !== null).length ?? 0);
}

/** Whether it looks for the front of outputs without target. */
function isFront(objective: Ended): boolean {
  return questOf(objective).kind === 'front';
}

function describeAttempts({ maximumAttempts, options }: Ended): string {
  const maximumRuns = options?.stop?.maximumRuns;
  const isByRuns = maximumRuns !== undefined && maximumAttempts < maximumRuns;
  const allowed = isByRuns ? ` of the ${maximumRuns} runs allowed in total` : '';
  return `all ${maximumAttempts} suggested inputs${allowed} are used`;
}

function describeStop(objective: Ended, best: ShownRun | null): string {
  const { ended, attemptCount, options } = objective;
  const count = `${attemptCount} suggested ${attemptCount === 1 ? 'input' : 'inputs'}`;
  const shown = describeBest(objective, best);
  switch (ended?.kind) {
    case undefined:
      return ` after ${count}${shown}`;
    case 'by-hand':
      return ` by hand after ${count}${shown}`;
    case 'continued':
      return ` after ${count}, because another objective continues it${shown}`;
    case 'batch':
      return ` with its batch after ${count}${shown}`;
    case 'not-computed':
      return ` after ${count}, because the next ones could not be computed${shown}`;
    case 'until':
      return `: its time limit, ${options?.stop?.until}, was reached after ${count}${shown}`;
    case 'space-used-up':
      return `: every input of the space has been evaluated${shown}`;
    case 'duplicate':
      return `: the search finds only inputs that have been evaluated${shown}`;
    case 'no-improvement-expected':
      return isFront(objective)
        ? `: the last suggested inputs hardly enlarged the front${shown}`
        : `: the models expect no further improvement${shown}`;
    case 'no-further-solution':
      return `: the search finds no further distinct solution${shown}`;
    case 'standstill':
      return describeStandstill(objective, ended, best);
    case 'fitted':
      return `: no noticeably better fit is expected${shown}`;
    case 'out-of-reach':
      return `: the ${isFit(objective) ? 'limits beside the fit' : 'targets'} seem out of reach together, and ${describeCompromise(best)}${describeGain(ended) || `; the last ${ended.quiet} runs came no nearer`}${shown}`;
  }
}

function describeStandstill(objective: Ended, { quiet, expectedGain }: Evidence, best: ShownRun | null): string {
  const threshold = objective.options?.stop?.improvementBelow ?? 0;
  if (isFit(objective)) {
    return `: the last ${quiet} runs reduced the misfit by no more than ${round(threshold)}${describeBest(objective, best)}`;
  }
  const least = percent(threshold);
  const aspirations = best === null ? '' : describeAspirations(objective, best);
  const subject =
    aspirations === '' || best === null
      ? `: the last ${quiet} runs came no more than ${least} nearer to the targets`
      : `: the best output ${aspirations} of ${best.name} has not improved by more than ${least} in the last ${quiet} runs`;
  return subject + describeGain({ expectedGain }) + (aspirations === '' ? describeBest(objective, best) : '');
}

function describeGain({ expectedGain }: Pick<Evidence, 'expectedGain'>): string {
  return expectedGain === null ? '' : `; the models expect at most ${percent(expectedGain)} more`;
}

function describeCompromise(best: ShownRun | null): string {
  return best === null ? 'no better compromise is expected' : `${best.name} is the best compromise`;
}

/** After a semicolon: what the best run reached; empty without one. */
function describeBest(objective: Ended, best: ShownRun | null): string {
  if (best === null) return '';
  if (isFit(objective) && !((best.worstMiss ?? 0) > 0)) {
    return `; the best fit is ${best.name}, with ${describeFit(objective, freeInputs(objective), best.output)}`;
  }
  const aspirations = describeAspirations(objective, best);
  const isMet = best.worstMiss === 0 || (aspirations !== '' && best.worstMiss === null);
  const title = isFront(objective) ? 'best compromise' : 'best output';
  if (isMet && aspirations !== '') return `; the ${title} is ${aspirations} of ${best.name}`;
  if (isMet) return `; ${best.name} meets every target`;
  if (best.undeclaredRuns !== undefined) {
    const { undeclaredRuns: runs } = best;
    return `; ${best.name} comes nearest to it, after ${runs} ${runs === 1 ? 'run' : 'runs'}`;
  }
  const missed = best.worstMiss === null ? '' : `, ${describeMisses(objective, best.output)}`;
  if (isFit(objective)) {
    return `; no run meets the limits beside the fit: relax them, or widen the bounds of the inputs; the nearest run, ${best.name}${missed}`;
  }
  return `; the nearest run, ${best.name}${missed}`;
}

/** For example "misses sag by 0.7146 and mass by 1.4257": in the units of the outputs, the worst in tolerances first. */
function describeMisses(objective: Ended, output: readonly number[]): string {
  const { targets, l1 } = compileGoal(objective);
  if (l1 !== null) {
    const norm = output.reduce((sum, y, j) => sum + Math.abs(y - l1.center[j]!), 0);
    return `differs from the targets by ${round(norm)} in sum where ${round(l1.threshold)} is allowed`;
  }
  const misses = makeMissMeasure(objective).missesOf(output);
  const missed = [...misses.keys()].filter((j) => misses[j]! > 0).sort((a, b) => misses[b]! - misses[a]! || a - b);
  const told = missed.slice(0, TOLD_MISSES).map((j) => {
    const distance = distanceToInterval(targets[j]!, output[j]!);
    return `${outputName(objective, j)} by ${distance === 0 ? 'a hair' : round(distance)}`;
  });
  const rest = missed.length > TOLD_MISSES ? [`${missed.length - TOLD_MISSES} more`] : [];
  return `misses ${new Intl.ListFormat('en-GB').format([...told, ...rest])}`;
}

/** The outputs to minimize or maximize with their values; empty without any. */
function describeAspirations(objective: Ended, { output }: ShownRun): string {
  return objective.objectiveTypes
    .flatMap((type, j) => {
      if (!isAspiration(type)) return [];
      return `${outputName(objective, j)} = ${round(output[j]!)}`;
    })
    .join(', ');
}

function outputName({ labels }: Ended, j: number): string {
  return labels?.outputNames?.[j] ?? `y${j + 1}`;
}

function percent(share: number): string {
  return `${roughly(100 * share)} %`;
}

function round(value: number): string {
  return String(Number(value.toPrecision(5)));
}
