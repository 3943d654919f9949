/** Solves a problem file: hands it to the engine, shows how it is going, and writes its results. */
import path from 'node:path';
import { FileError } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { troubleOf } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import type { EvaluatorEvent } from '../../clients/typescript/src/evaluator/evaluator.ts';
import type { Run } from '../../clients/typescript/src/evaluator/journal.ts';
import { countRetried } from '../../clients/typescript/src/evaluator/retries.ts';
import type { NewObjectives } from '../../clients/typescript/src/index.ts';
import { AdviceTeller, adviceIn } from '../../clients/typescript/src/solve/adviser.ts';
import { runOfAnswer } from '../../clients/typescript/src/solve/answer.ts';
import { type Advice, adviseOnScales, withScales } from '../../clients/typescript/src/solve/defaults.ts';
import { Engine, InterruptedError } from '../../clients/typescript/src/solve/engine.ts';
import { FollowedSearch } from '../../clients/typescript/src/solve/followed-search.ts';
import { ANEW, describeComparison, describeNoise, describeParts } from '../../clients/typescript/src/solve/kept.ts';
import type { Looker } from '../../clients/typescript/src/solve/looks.ts';
import { ChangedProblemError } from '../../clients/typescript/src/solve/open-problem.ts';
import { listed, type Plan, type ProjectBody, type Words } from '../../clients/typescript/src/solve/plan.ts';
import { type ChangeNote, Session } from '../../clients/typescript/src/solve/session.ts';
import type { CheckedProblem } from './check-problem.ts';
import { countOf, countRuns, renderRun } from './display-lines.ts';
import { hashOfBlackBox, lookerOf } from './moved-problem.ts';
import { toNamedInput } from './problem-bodies.ts';
import { ResultFiles, seeksNearest } from './result-files.ts';
import type { FileRecord } from './run-folder.ts';
import { type Ending, endingOf, type SolveEnd } from './solve-end.ts';
import type { SolveOptions } from './solve-options.ts';
import { phaseOf, runningNow, type SetStanding, type Standing, StandingOfSet, type Told } from './standing.ts';

/** Throws ChangedProblemError, BudgetError, JournalError, and BacksolveError when the service refuses. */
export async function solveProblem(options: SolveOptions): Promise<SolveEnd> {
  const { checked, display, folder } = options;
  refuseNamesake((await folder.read())?.file, checked);
  const onChange = (parts: readonly string[], what: ChangeNote) => display.print(CHANGES[what](parts));
  const session = await Session.open({
    ...options,
    plan: toPlan(checked, lookerOf(checked.problem, options.where)),
    words: WORDS,
    onChange,
    beginsAnew: true,
  });
  const solver = new Solver(options, session);
  try {
    display.follow(() => solver.standing);
    return await solver.solve();
  } finally {
    display.end();
    await session.journal.close();
  }
}

const WORDS: Words = {
  door: 'file',
  startOver: 'start over with --new',
  budget: 'maximumRuns',
  refuseLog: 'state scale: linear to refuse',
  goOnAt: (service) => (service === null ? ', without --url' : ` with --url ${service}`),
};

/** Says which inputs of a new problem are logarithmic because of their range. */
export function adviseOnRanges({ project }: CheckedProblem['bodies']): readonly Advice[] {
  const stated = project as unknown as ProjectBody;
  return adviseOnScales(stated, withScales(stated, undefined), WORDS);
}

/** Files that differ only by their endings share a folder. */
function refuseNamesake(begun: string | undefined, { file }: CheckedProblem): void {
  const name = path.basename(file);
  if (begun === undefined || begun === name) return;
  throw new ChangedProblemError(
    `${begun} has the same name without its ending, and was begun first: rename ${name}, or start over with --new.`,
  );
}

const CHANGES: Readonly<Record<ChangeNote, (parts: readonly string[]) => string>> = {
  compared: describeComparison,
  noise: describeNoise,
  anew: () => ANEW,
  failures: (parts) =>
    `${describeParts(parts)} changed since earlier runs. Those that failed are kept unless --retry-failed runs them once more; --new starts over.`,
};

function toPlan({ bodies, designedCount, known, problem }: CheckedProblem, looker: Looker): Plan {
  return {
    project: bodies.project as unknown as ProjectBody,
    objectives: bodies.objectives as unknown as readonly NewObjectives[],
    statesStop: problem.search.stop !== undefined,
    budget: problem.maximumRuns,
    parallel: problem.jobs,
    verify: problem.verify,
    batch: {
      timeoutSeconds: problem.timeoutSeconds,
      maximumTries: problem.retries + 1,
      stopAfterFailures: problem.stopAfterFailures,
    },
    designed: designedCount,
    start: bodies.start,
    known,
    knownSource: problem.known,
    code: hashOfBlackBox(problem),
    looker,
    nameInput: (input) => toNamedInput(problem.inputs, input),
  };
}

class Solver {
  readonly #options: SolveOptions;
  readonly #session: Session;
  readonly #engine: Engine;
  readonly #files: ResultFiles;
  readonly #search: FollowedSearch;
  readonly #sets: readonly StandingOfSet[];
  readonly #names: readonly string[];
  readonly #adviceTeller: AdviceTeller;
  readonly #startedAt = performance.now();
  #runs: readonly Run[] = [];
  /** Time at which each counted run ended, by its order. */
  readonly #counted = new Map<number, string>();
  /** Whether runs are shown as they end: those of earlier starts are not. */
  #isTelling = false;
  #note: string | null = null;

  constructor(options: SolveOptions, session: Session) {
    const { problem, bodies } = options.checked;
    this.#options = options;
    this.#session = session;
    this.#files = new ResultFiles(options.folder, (session.record as FileRecord).results);
    this.#search = new FollowedSearch(session);
    this.#adviceTeller = new AdviceTeller((sentence) => options.display.print(sentence));
    this.#names = problem.outputs.map((output) => output.name);
    this.#sets = problem.targetSets.map((goals, k) => new StandingOfSet(goals, options.measure(bodies.objectives[k]!)));
    this.#engine = new Engine({
      ...options,
      session,
      endsWhenAway: true,
      follow: () => this.#follow(),
      onResult: () => this.#countRuns(),
      onEvent: (event) => this.#take(event),
      onUnwritten: ({ message }) => (this.#note = `The journal cannot be written: ${message}`),
    });
    this.#countRuns();
  }

  get standing(): Standing {
    const { problem, designedCount } = this.#options.checked;
    const { batch, journal } = this.#session;
    const designed = batch?.progress.cases ?? { planned: designedCount, done: 0, failed: 0 };
    const objectives = this.#search.state.objectives;
    const shown = objectives.findIndex((one) => one.stopReason === null || one.stopReason === 'RUNNING');
    return {
      phase: phaseOf(batch?.status),
      runs: this.#runs.length,
      failed: this.#runs.filter((run) => run.outcome.kind === 'failure').length,
      retried: countRetried(journal.lines),
      maximumRuns: problem.maximumRuns,
      designed: { done: designed.done + designed.failed, planned: designed.planned },
      sets: this.#standings,
      shown: shown < 0 ? this.#sets.length - 1 : shown,
      satisfiedSets: objectives.filter((one) => one.satisfied).length,
      running: [...this.#engine.running.values()].map(runningNow),
      elapsedMs: performance.now() - this.#startedAt,
      note: this.#note,
    };
  }

  async solve(): Promise<SolveEnd> {
    const work = await this.#work().catch(explained);
    if (this.#session.isOver) await this.#search.readEnd();
    await this.#writeResults();
    // If the search is over, the service's account of it counts for more than how this process came to its end.
    const over: Ending = this.#session.isOver && work.kind !== 'disk' ? { kind: 'batch', reason: null } : work;
    const { error } = this.#files;
    return {
      ...(error === null ? over : { kind: 'disk', reason: error.message }),
      batch: this.#session.batch ?? null,
      standing: this.standing,
      search: this.#search.state,
      advice: this.#advice,
      files: this.#files.files,
    };
  }

  async #work(): Promise<Ending> {
    const { display, retryFailed } = this.#options;
    const { reported, marked } = await this.#session.settle();
    if (retryFailed) display.print(describeRetries(marked));
    if (this.#runs.length > 0) {
      const late = `; ${reported} of them ${reported === 1 ? 'is' : 'are'} reported to the service only now`;
      display.print(`Going on after ${countRuns(this.#runs.length)}${reported === 0 ? '' : late}.`);
    }
    this.#adviceTeller.tell(this.#session.advice);
    this.#countRuns();
    this.#isTelling = true;
    await this.#engine.begin();
    return endingOf(await this.#engine.run());
  }

  async #follow(): Promise<void> {
    await this.#search.refresh();
    this.#adviceTeller.tell(adviceIn(this.#search.state));
    await this.#writeResults();
    this.#note = this.#files.error?.message ?? null;
  }

  #take(event: EvaluatorEvent): void {
    if (event.type === 'away') this.#note = `The service does not answer: ${event.reason}`;
    if (event.type === 'back') this.#note = null;
    if (event.type === 'reported' && event.state === 'waiting' && event.outcome.kind === 'failure') {
      this.#options.display.print(`A run failed and is tried again: ${event.outcome.reason}`);
    }
  }

  #countRuns(): void {
    this.#runs = this.#session.runs;
    for (const run of this.#runs) {
      if (this.#counted.get(run.order) === run.at) continue;
      this.#counted.set(run.order, run.at);
      const output = listed(run.outcome, this.#names);
      for (const set of this.#sets) set.add(run, this.#mayBeAnswer(run) ? output : null);
      if (this.#isTelling) this.#tell(run, output);
    }
  }

  /** Not a run of a cheaper source, nor a start that breaks a constraint. */
  #mayBeAnswer({ source, kind }: Run): boolean {
    return source == null && (kind !== 'start' || this.#options.checked.isStartInside);
  }

  get #advice(): readonly Advice[] {
    return [...this.#session.advice, ...adviceIn(this.#search.state)];
  }

  get #standings(): readonly SetStanding[] {
    return this.#sets.map((set, k) => set.current(this.#nameOf, this.#toldOf(k)));
  }

  /**
   * The service's answer. While a search goes on, the service may not know the newest runs yet; the nearest of them
   * then counts as the answer.
   */
  #toldOf(k: number): Told | null | undefined {
    const { objectives, states } = this.#search.state;
    const answer = states.get(objectives[k]?.objectiveId ?? -1)?.answer;
    const isByNearest = seeksNearest(this.#options.checked.problem, k);
    if (isByNearest && (!this.#session.isOver || answer == null)) return undefined;
    return answer == null ? null : { answer, ...runOfAnswer(answer, this.#runs, this.#nameOf) };
  }

  /** Each of several target sets counts its own suggested runs. */
  readonly #nameOf = (run: Run): string => {
    const { objectives } = this.#search.state;
    const k = objectives.findIndex(({ objectiveId }) => objectiveId !== null && objectiveId === run.objectiveId);
    return this.#session.nameOf(run, this.#sets.length === 1 || k < 0 ? '' : `of target set ${k + 1}`);
  };

  #tell(run: Run, output: readonly number[] | null): void {
    const { checked, display } = this.#options;
    const { best } = this.#standings[this.standing.shown]!;
    const result = output ?? (run.outcome.kind === 'failure' ? run.outcome.reason : 'no output');
    // Runs on a front, or judged together, have no single best one.
    const isShown = seeksNearest(checked.problem, this.standing.shown);
    display.printRun(
      renderRun(
        checked.problem,
        { ...run, name: `${this.#nameOf(run)}${run.source == null ? '' : ` (${run.source})`}` },
        result,
        isShown ? best : null,
      ),
    );
    if (run.kind === 'start' && run.outcome.kind === 'failure') {
      display.print(`The start failed: ${run.outcome.reason}; the search begins without it.`);
    }
  }

  #writeResults(): Promise<void> {
    return this.#files.update({
      problem: this.#options.checked.problem,
      runs: this.#runs,
      nameOf: this.#nameOf,
      sets: this.#standings,
      search: this.#search.state,
      advice: this.#advice,
      retried: countRetried(this.#session.journal.lines),
    });
  }
}

/** Turns an error that a person can act on into an ending; throws every other one. */
function explained(error: unknown): Ending {
  const trouble = troubleOf(error);
  const reason = (error as Error).message;
  if (error instanceof InterruptedError) return { kind: 'interrupted', reason: null };
  if (error instanceof FileError) return { kind: 'disk', reason };
  if (error instanceof LocalFault || trouble === 'denied') return { kind: 'fault', reason };
  if (trouble === 'away') return { kind: 'away', reason };
  throw error;
}

function describeRetries(count: number): string {
  return count === 0
    ? 'No run has failed, so there is nothing to try again.'
    : `Trying ${countOf(count, 'failed run')} once more.`;
}
