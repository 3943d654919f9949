/** Text for a person at the end, and the exit code for a script. */
import { describeProbability, probabilityOf } from '../../clients/typescript/src/evaluator/nearness.ts';
import { stopReasonOf } from '../../clients/typescript/src/solve/followed-search.ts';
import {
  countRuns,
  describeData,
  describeGoal,
  describeInput,
  describeMisfit,
  describeMiss,
  describeOutput,
  formatMiss,
  formatNumber,
  formatValue,
  padTo,
  widthOf,
} from './display-lines.ts';
import { plain } from './plain-text.ts';
import { type Problem, shownOutputs } from './problem.ts';
import { toInputValue } from './problem-bodies.ts';
import { foundBy, hasFront } from './result-files.ts';
import type { SolveEnd } from './solve-end.ts';
import type { BestRun, SetStanding } from './standing.ts';

export const EXIT_CODES = {
  satisfied: 0,
  stopped: 10,
  exhausted: 11,
  failed: 12,
  usage: 2,
  away: 69,
  interrupted: 130,
} as const;

export function exitCodeOf({ kind, batch, search }: SolveEnd): number {
  if (kind === 'interrupted') return EXIT_CODES.interrupted;
  if (kind === 'away') return EXIT_CODES.away;
  if (kind === 'fault' || kind === 'disk') return EXIT_CODES.usage;
  if (kind === 'abort' || batch?.status === 'failed') return EXIT_CODES.failed;
  const reasons = search.objectives.map((one) => one.stopReason);
  if (search.objectives.some((one) => one.failureReason !== null)) return EXIT_CODES.failed;
  if (reasons.includes('EXHAUSTED')) return EXIT_CODES.exhausted;
  return reasons.length > 0 && reasons.every((reason) => reason === 'SATISFIED')
    ? EXIT_CODES.satisfied
    : EXIT_CODES.stopped;
}

/** @param command  how to go on, such as `backsolve run bracket.yaml` */
export function describeEnd(problem: Problem, end: SolveEnd, command: string): string {
  const { standing, files } = end;
  const parts = [verdictOf(problem, end, command)];
  if (problem.targetSets.length > 1) parts.push(summaryOf(problem, end));
  else if (!hasFront(problem.targetSets[0]!)) parts.push(...describeSet(problem, standing.sets[0]!));
  parts.push(...suretiesOf(problem, end), ...fitsOf(end), ...foundOf(problem, end));
  const diagnoses = diagnosesOf(end);
  if (exitCodeOf(end) !== 0) parts.push(...diagnoses);
  parts.push(...adviceAfterFailures(end, command), ...end.advice.map(({ sentence }) => sentence));
  const again = standing.retried === 0 ? '' : ` (${standing.retried} of them tried again)`;
  if (standing.runs > 0)
    parts.push(`${countRuns(standing.runs)}${again}, with all digits, in ${files.csv} and ${files.json}`);
  return parts.join('\n\n');
}

/** A failure may have been that of the program, which is mended now. */
function adviceAfterFailures(end: SolveEnd, command: string): readonly string[] {
  const { failed } = end.standing;
  if (end.kind !== 'batch' || failed === 0 || exitCodeOf(end) === EXIT_CODES.satisfied) return [];
  const which = failed === 1 ? 'One run has failed.' : `${failed} runs have failed.`;
  return [
    `${which} If the fault was in the program, mend it and run them once more: ${command} --retry-failed\nTo start over: ${command} --new`,
  ];
}

function verdictOf(problem: Problem, end: SolveEnd, command: string): string {
  const { kind, reason, batch, standing, search } = end;
  const because = reason === null ? '' : `: ${reason}`;
  const runs = countRuns(standing.runs);
  const goOn = `Go on with: ${command}`;
  switch (kind) {
    case 'interrupted':
      return `Interrupted after ${runs}; nothing is lost. ${goOn}`;
    case 'away':
      return `The service cannot be reached${because}\nNothing is lost. ${goOn}`;
    case 'fault':
      return `Nothing can be run here${because}\nNothing is lost. Once it can: ${command}`;
    case 'disk':
      return `${reason}\n${goOn}`;
    case 'abort':
      return `The command asked to end everything${because}\n${goOn}`;
  }
  if (batch?.status === 'failed') return `Given up: ${batch.failureReason ?? 'too many runs failed.'}`;
  if (batch?.status === 'cancelled') return 'The search was cancelled on the service.';
  const sets = problem.targetSets.length;
  if (sets > 1) return `${standing.satisfiedSets} of ${sets} target sets are met after ${runs}.`;
  const [objective] = search.objectives;
  if (objective?.failureReason) return `The search could not begin: ${objective.failureReason}`;
  const state = search.states.get(objective?.objectiveId ?? -1);
  const result = VERDICTS[stopReasonOf(state)] ?? ((runs) => `The search has ended after ${runs}.`);
  const why = whyStopped(state);
  const best = standing.sets[0]!.best;
  if (hasFront(problem.targetSets[0]!)) return FRONT_VERDICTS[stopReasonOf(state)]?.(runs) ?? result(runs);
  const goOnFrom = howToGoOn(state, standing, command);
  if (state?.fit != null && stopReasonOf(state) === 'SATISFIED') {
    const chance = state.fit.isBeyondChance ? ', but the misfit is larger than the standard errors explain' : '';
    return `Fitted after ${runs}${chance}.${best === null ? '' : ` Best: ${best.name}.`}`;
  }
  if (why !== undefined) return `Stopped after ${runs}: ${why}${goOnFrom}`;
  if (state?.fit != null && best !== null && best.worst > 0) {
    return `Ended after ${runs}: no run meets the limits beside the fit. Relax them, or widen the bounds of the inputs. Nearest: ${best.name}.${goOnFrom}`;
  }
  const found = stopReasonOf(state) === 'EXHAUSTED' && best?.isInput === true ? undeclared(runs) : result(runs);
  return `${found}${best === null ? '' : ` Best: ${calledIn(best)}.`}${goOnFrom}`;
}

/** The answer that was declared is an input; single runs at it may miss. */
function calledIn({ name, isInput, runs }: BestRun): string {
  return isInput ? `the input of ${name}${runs === null ? '' : `, after ${countRuns(runs)} there`}` : name;
}

function undeclared(runs: string): string {
  return `Used up after ${runs}: no more are allowed, and no input is known to meet everything as surely as asked.`;
}

type State = SolveEnd['search']['states'] extends ReadonlyMap<number, infer One> ? One : never;

/** Reason why a search was stopped, in the words of the service, which name the best run. */
function whyStopped(state: State | undefined): string | undefined {
  return stopReasonOf(state) === 'STOPPED' ? state?.endReason?.replace(/^Stopped: /, '') : undefined;
}

/** Number of runs that a person is advised to add. */
const MORE_RUNS = 20;

function howToGoOn(state: State | undefined, { runs, maximumRuns }: SolveEnd['standing'], command: string): string {
  const more = Math.max(runs + MORE_RUNS, (maximumRuns ?? 0) + 1);
  return state?.isResumable ? `\nTo go on from here: ${command} --runs ${more}` : '';
}

/** A front is never met. */
const FRONT_VERDICTS: Readonly<Record<string, (runs: string) => string>> = {
  STOPPED: (runs) => `Stopped after ${runs}: further ones would hardly move the front.`,
  EXHAUSTED: (runs) => `Ended after ${runs}: no more are allowed.`,
};

const VERDICTS: Readonly<Record<string, (runs: string) => string>> = {
  SATISFIED: (runs) => `Solved: everything is met after ${runs}.`,
  STOPPED: (runs) => `Stopped after ${runs}: no new input promises anything better.`,
  EXHAUSTED: (runs) => `Used up after ${runs}: no more are allowed, and not everything is met.`,
};

/** A stop reason of the service in words. */
export function endInWords(stopReason: string | null): string {
  return stopReason === null ? 'not begun' : (END_WORDS[stopReason] ?? stopReason);
}

const END_WORDS: Readonly<Record<string, string>> = {
  RUNNING: 'unfinished',
  SATISFIED: 'everything met',
  STOPPED: 'stopped',
  EXHAUSTED: 'runs used up',
};

/** The best run: its inputs, and its outputs against their goals. */
function describeSet(problem: Problem, { goals, best }: SetStanding): readonly string[] {
  if (best === null) return [];
  const unitOf = (unit: string) => (unit === '' ? '' : ` ${unit}`);
  const inputs = problem.inputs.map((input, i) => [
    input.name,
    `${formatValue(toInputValue(input, best.input[i]!))}${unitOf(input.unit)}`,
  ]);
  const outputs = shownOutputs(problem).map(({ name, unit, first, set }) =>
    set === undefined
      ? [
          name,
          `${formatNumber(best.output[first]!)}${unitOf(unit)}`,
          describeGoal(goals[first]!, unit),
          goals[first]!.target === null ? '' : missOf(unit, best.misses[first]!, Math.abs(best.missedBy[first]!)),
        ]
      : [name, describeMisfit(best.fits[set]!), describeData(problem.fits[set]!, unit), ''],
  );
  return [
    formatRows([['input', 'value'], ...inputs]),
    formatRows([['output', valueTitle(best), 'goal', ''], ...outputs]),
  ];
}

function valueTitle({ isInput, runs }: BestRun): string {
  return isInput && runs !== null && runs > 1 ? `mean of ${countRuns(runs)}` : 'value';
}

/** In units of the output, and in tolerances. */
function missOf(unit: string, miss: number, by: number): string {
  if (miss === 0 || by === 0) return describeMiss(miss, 'met');
  const shown = formatMiss(miss);
  return `off by ${formatNumber(by)}${unit === '' ? '' : ` ${unit}`} (${shown} ${shown === '1' ? 'tolerance' : 'tolerances'})`;
}

/** A line per target set with a confidence: how surely its best input meets everything. */
function suretiesOf({ search: asked }: Problem, { search }: SolveEnd): readonly string[] {
  const several = search.objectives.length > 1;
  return search.objectives.flatMap(({ objectiveId }, k) => {
    const probability = probabilityOf(search.states.get(objectiveId ?? -1)?.standing, asked);
    if (probability === undefined) return [];
    return [`${several ? `Target set ${k + 1}: ` : ''}At the best input ${describeProbability(probability, asked)}.`];
  });
}

/** Conclusions about the inputs from the data of a fit, and warnings, in the words of the service. */
function fitsOf({ search, standing }: SolveEnd): readonly string[] {
  const several = search.objectives.length > 1;
  return search.objectives.flatMap(({ objectiveId }, k) => {
    const sentences = search.fits.get(objectiveId ?? -1)?.sentences ?? [];
    // Beyond a limit a fit says nothing about its errors.
    if ((standing.sets[k]?.best?.worst ?? 0) > 0) return [];
    const warnings = search.states.get(objectiveId ?? -1)?.fit?.warnings ?? [];
    if (sentences.length + warnings.length === 0) return [];
    const title = `What the data tell${several ? ` with target set ${k + 1}` : ''}:`;
    return [[title, ...[...sentences, ...warnings].map((one) => `  ${one}`)].join('\n')];
  });
}

/** The solutions and fronts found, a line per run. */
function foundOf(problem: Problem, { search }: SolveEnd): readonly string[] {
  return problem.targetSets.flatMap((_, k) => {
    const found = foundBy(problem, search, k);
    if (found === undefined || found.runs.length === 0) return [];
    const titles = [...problem.inputs, ...problem.outputs].map(({ name }) => name);
    const rows = found.runs.map(({ input, output }) => [
      ...problem.inputs.map((one, i) => formatValue(toInputValue(one, input[i]!))),
      ...output.map(formatNumber),
    ]);
    const set = problem.targetSets.length > 1 ? ` of target set ${k + 1}` : '';
    const what = found.kind === 'front' ? `The front${set}, ${countRuns(rows.length)}` : `Solutions${set}`;
    return [`${what}:\n${formatRows([titles, ...rows])}`];
  });
}

/** A line per target set. */
function summaryOf(problem: Problem, { standing, search }: SolveEnd): string {
  const rows = standing.sets.map(({ goals, best }, k) => [
    String(k + 1),
    shownOutputs(problem)
      .map(({ name, first, set }) =>
        set === undefined
          ? `${name} ${describeGoal(goals[first]!, '')}`
          : `${name} ${describeData(problem.fits[set]!, '')}`,
      )
      .join(', '),
    search.objectives[k]?.failureReason ?? endInWords(search.objectives[k]?.stopReason ?? null),
    best === null ? '-' : describeInput(problem, best.input),
    best === null ? '-' : describeOutput(problem, best.output),
    best === null ? '-' : formatMiss(best.worst),
  ]);
  return formatRows([['set', 'targets', 'ended', 'best input', 'output', 'worst miss'], ...rows]);
}

function diagnosesOf({ search }: SolveEnd): readonly string[] {
  const several = search.objectives.length > 1;
  return search.objectives.flatMap(({ objectiveId, satisfied }, k) => {
    const detail = satisfied ? undefined : search.states.get(objectiveId ?? -1)?.diagnosis?.detail;
    return detail === undefined ? [] : [`${several ? `Target set ${k + 1}: ` : ''}${detail}`];
  });
}

/** Columns aligned by spaces. */
export function formatRows(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(plain));
  const widths = rows[0]!.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column]!))));
  return cells
    .map((row) => `  ${row.map((cell, column) => padTo(widths[column]!, cell)).join('  ')}`.trimEnd())
    .join('\n');
}
