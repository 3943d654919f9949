/**
 * Solves a problem: creates it on the service or finds it again, evaluates its inputs on this machine, and follows it to its end. It can
 * be killed at any time and called again: the journal holds every result before the service does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FileError } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { type Evaluate, type Evaluation, LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import {
  type Claim,
  makeEvaluationCalls,
  type Reportable,
  troubleOf,
} from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import { type EvaluatorEvent, runEvaluator } from '../../clients/typescript/src/evaluator/evaluator.ts';
import {
  FinishedRuns,
  Journal,
  type RetriedLine,
  type Run,
  runsOf,
} from '../../clients/typescript/src/evaluator/journal.ts';
import { resumeLeases } from '../../clients/typescript/src/evaluator/resume.ts';
import {
  areRetriesNews,
  countRetried,
  markFailures,
  retryRuns,
  type TrialPath,
} from '../../clients/typescript/src/evaluator/retries.ts';
import { type CreatedProblem, createProblem, refuseChanges } from './create-problem.ts';
import { countOf, countRuns, renderRun } from './display-lines.ts';
import { FollowedSearch } from './followed-search.ts';
import { hashOfCommand } from './moved-problem.ts';
import { ProblemCalls } from './problem-calls.ts';
import { hasFront, ResultFiles } from './result-files.ts';
import { endingOf, type SolveEnd } from './solve-end.ts';
import type { SolveOptions } from './solve-options.ts';
import { outputOf, phaseOf, type RunningNow, runningNow, type Standing, StandingOfSet } from './standing.ts';
import { evaluateForGood, evaluateStart, toEvaluation } from './start-run.ts';

/** A lease is renewed every third of it, and a killed run gives its leases back when it is started again. */
const LEASE_SECONDS = 60;
const REFRESH_MS = 1_000;

/** Throws ChangedProblemError, JournalError, and BacksolveError when the service refuses. */
export async function solveProblem(options: SolveOptions): Promise<SolveEnd> {
  const { folder, checked, service } = options;
  const known = await folder.read();
  if (known !== undefined) refuseChanges(known, checked, service);
  const command = hashOfCommand(checked.problem);
  const record = {
    ...(known ?? (await folder.begin(checked.bodies.project, service, checked.problem.known))),
    command,
  };
  if (known?.command !== command) await folder.write(record);
  const journal = await Journal.open(folder.journal);
  if (options.retryFailed) options.display.print(describeRetries(await markFailures(journal)));
  const solver = new Solver(options, journal, new ResultFiles(folder, record.results));
  try {
    options.display.follow(() => solver.standing);
    await solver.solve(() => createProblem(record, solver.createOptions));
    return await solver.end();
  } finally {
    options.display.end();
    await journal.close();
  }
}

class Solver {
  readonly #options: SolveOptions;
  readonly #journal: Journal;
  readonly #files: ResultFiles;
  readonly #calls: ProblemCalls;
  readonly #search: FollowedSearch;
  readonly #finished: FinishedRuns;
  readonly #sets: readonly StandingOfSet[];
  readonly #names: readonly string[];
  readonly #running = new Map<number, RunningNow>();
  readonly #startedAt = performance.now();
  #runs: readonly Run[] = [];
  /** When each run that was told of ended, by its number. */
  readonly #counted = new Map<number, string>();
  /** Whether runs are shown as they end: those of earlier starts are not. */
  #isTelling = false;
  #created: CreatedProblem | undefined;
  #ending: Pick<SolveEnd, 'kind' | 'reason'> | undefined;
  #note: string | null = null;
  #wake: () => void = () => undefined;

  constructor(options: SolveOptions, journal: Journal, files: ResultFiles) {
    this.#options = options;
    this.#journal = journal;
    this.#files = files;
    this.#calls = new ProblemCalls(options.client);
    this.#search = new FollowedSearch(this.#calls);
    this.#finished = new FinishedRuns(journal.lines);
    const { problem, bodies } = options.checked;
    this.#names = problem.outputs.map((output) => output.name);
    this.#sets = problem.targetSets.map((goals, k) => new StandingOfSet(goals, options.measure(bodies.objectives[k]!)));
    this.#countRuns();
  }

  get createOptions() {
    const { folder, checked, jobs } = this.#options;
    return {
      calls: this.#calls,
      folder,
      checked,
      jobs,
      runsBefore: this.#runs.length,
      evaluateStart: (input: readonly number[]) => this.#evaluateStart(input),
      retries: {
        count: countRetried(this.#journal.lines),
        run: (trial: TrialPath) => this.#retry(trial),
        areNews: (since: number, hasTrial: boolean) => areRetriesNews(this.#journal.lines, since, hasTrial),
      },
    };
  }

  get standing(): Standing {
    const { problem, designedCount } = this.#options.checked;
    const cases = this.#created?.batch.progress.cases;
    const designed = cases ?? { planned: designedCount, done: 0, failed: 0 };
    const objectives = this.#search.state.objectives;
    const shown = objectives.findIndex((one) => one.stopReason === null || one.stopReason === 'RUNNING');
    return {
      phase: phaseOf(this.#created?.batch.status),
      runs: this.#runs.length,
      failed: this.#runs.filter((run) => run.outcome.kind === 'failure').length,
      retried: countRetried(this.#journal.lines),
      maximumRuns: problem.maximumRuns,
      designed: { done: designed.done + designed.failed, planned: designed.planned },
      sets: this.#sets.map((set) => set.current),
      shown: shown < 0 ? this.#sets.length - 1 : shown,
      satisfiedSets: objectives.filter((one) => one.satisfied).length,
      running: [...this.#running.values()],
      elapsedMs: performance.now() - this.#startedAt,
      note: this.#note,
    };
  }

  async solve(create: () => Promise<CreatedProblem>): Promise<void> {
    const { client, display, evaluate, evaluator } = this.#options;
    const claim: Claim = { evaluator, leaseSeconds: LEASE_SECONDS };
    try {
      const { reported } = await resumeLeases(this.#journal, makeEvaluationCalls(client, claim));
      if (this.#runs.length > 0) {
        const late =
          reported === 0
            ? ''
            : `; ${reported} of them ${reported === 1 ? 'is' : 'are'} reported to the service only now`;
        display.print(`Going on after ${countRuns(this.#runs.length)}${late}.`);
      }
      this.#countRuns();
      this.#isTelling = true;
      this.#created = await create();
      await this.#refresh();
      if (this.#isOver()) return;
      const over = new AbortController();
      const ended = evaluate === null ? this.#untilStopped(over.signal) : this.#evaluate(evaluate, claim, over.signal);
      await this.#follow(ended, over);
    } catch (error) {
      if (error instanceof FileError) this.#finish({ kind: 'disk', reason: error.message });
      else if (error instanceof LocalFault) this.#finish({ kind: 'fault', reason: error.message });
      else if (troubleOf(error) === 'away') this.#finish({ kind: 'away', reason: (error as Error).message });
      else if (troubleOf(error) === 'denied') this.#finish({ kind: 'fault', reason: (error as Error).message });
      else throw error;
    }
  }

  async end(): Promise<SolveEnd> {
    if (this.#isOver()) {
      await this.#search.untilExplained(this.#created!);
      await this.#search.readFronts(this.#created!, this.#options.checked.problem);
    }
    await this.#writeResults();
    if (this.#files.error !== null) this.#ending = { kind: 'disk', reason: this.#files.error.message };
    const { signal, endSignal } = this.#options;
    const interrupted = signal.aborted || endSignal.aborted;
    const ending =
      this.#isOver() && this.#ending?.kind !== 'disk'
        ? ({ kind: 'batch', reason: null } as const)
        : (this.#ending ?? { kind: interrupted ? 'interrupted' : 'away', reason: null });
    return {
      ...ending,
      batch: this.#created?.batch ?? null,
      standing: this.standing,
      search: this.#search.state,
      files: this.#files.files,
    };
  }

  #finish(ending: Pick<SolveEnd, 'kind' | 'reason'>): void {
    this.#ending ??= ending;
  }

  #isOver(): boolean {
    const status = this.#created?.batch.status;
    return status === 'completed' || status === 'failed' || status === 'cancelled';
  }

  /** Evaluates here until the batch is over. */
  async #evaluate(evaluate: Evaluate, claim: Claim, over: AbortSignal): Promise<void> {
    const { client, jobs, signal, endSignal } = this.#options;
    const end = await runEvaluator({
      client,
      claim: { ...claim, batchId: this.#created!.batch.id },
      jobs,
      evaluate: (evaluation, ending) => this.#run(evaluate, evaluation, ending),
      beforeReport: (evaluation, outcome) => this.#keep(evaluation, evaluation.kind, outcome),
      beforeClaim: () => this.#journal.refuseFullDisk(),
      onEvent: (event) => this.#take(event),
      signal: AbortSignal.any([signal, over]),
      endSignal: AbortSignal.any([endSignal, over]),
    });
    this.#finish(endingOf(end));
  }

  async #untilStopped(over: AbortSignal): Promise<void> {
    const { signal, endSignal } = this.#options;
    const any = AbortSignal.any([signal, endSignal, over]);
    if (!any.aborted) await new Promise((resolve) => any.addEventListener('abort', resolve, { once: true }));
    this.#finish({ kind: 'interrupted', reason: null });
  }

  /** Looks at the batch after every run and every second, until it or the evaluator is over. */
  async #follow(ended: Promise<void>, over: AbortController): Promise<void> {
    let isEnded = false;
    const watched = ended.finally(() => {
      isEnded = true;
      this.#wake();
    });
    watched.catch(() => undefined);
    while (!isEnded) {
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), sleep(REFRESH_MS, undefined, {})]);
      try {
        await this.#refresh();
        this.#note = this.#files.error?.message ?? null;
      } catch (error) {
        if (troubleOf(error) !== 'away') {
          over.abort();
          await watched.catch(() => undefined);
          throw error;
        }
        this.#note = `The service does not answer: ${(error as Error).message}`;
        // What runs is worth more than a prompt end: its result is kept, and the service may come back.
        if (this.#running.size === 0) {
          this.#ending = { kind: 'away', reason: (error as Error).message };
          over.abort();
        }
      }
      if (this.#isOver()) over.abort();
    }
    await watched;
    await this.#refresh().catch((error: unknown) => {
      if (troubleOf(error) !== 'away') throw error;
    });
  }

  async #refresh(): Promise<void> {
    const created = this.#created!;
    this.#created = { ...created, batch: await this.#search.refresh(created, this.#runs.length) };
    await this.#writeResults();
  }

  /** Calls the black box unless the journal has the result of this run. */
  async #run(evaluate: Evaluate, evaluation: Evaluation, signal: AbortSignal) {
    return this.#finished.find(evaluation) ?? (await evaluate(evaluation, signal));
  }

  /** On disk before anybody hears of it. */
  async #keep(evaluation: Evaluation, kind: Run['kind'], outcome: Reportable): Promise<void> {
    const sinceMs = this.#running.get(evaluation.id)?.sinceMs ?? performance.now();
    await this.#journal.finished(evaluation, kind, outcome, (performance.now() - sinceMs) / 1000);
    this.#finished.add(evaluation.id, evaluation.input, outcome);
  }

  #take(event: EvaluatorEvent): void {
    const { display } = this.#options;
    switch (event.type) {
      case 'claimed':
        this.#running.set(event.evaluation.id, runningNow(event.evaluation));
        this.#write(this.#journal.claimed(event.evaluation));
        return;
      case 'reported':
        this.#running.delete(event.evaluation.id);
        this.#write(this.#journal.reported(event.evaluation, event.state).then(() => this.#countRuns()));
        if (event.state === 'waiting' && event.outcome.kind === 'failure') {
          display.print(`A run failed and is tried again: ${event.outcome.reason}`);
        }
        return;
      case 'released':
      case 'unwanted':
        this.#running.delete(event.evaluation.id);
        this.#write(this.#journal.released(event.evaluation));
        return;
      case 'dropped':
        // The journal still holds it; the next start settles it with the service.
        this.#running.delete(event.evaluation.id);
        this.#wake();
        return;
      case 'away':
        this.#note = `The service does not answer: ${event.reason}`;
        return;
      case 'back':
        this.#note = null;
    }
  }

  /** Lines about leases may come late; a disk that takes none ends the evaluator with its next result. */
  #write(written: Promise<void>): void {
    written.then(
      () => this.#wake(),
      (error: Error) => {
        this.#note = `The journal cannot be written: ${error.message}`;
      },
    );
  }

  async #evaluateStart(input: readonly number[]): Promise<readonly number[] | null> {
    const { evaluate, checked, endSignal, display } = this.#options;
    const outcome =
      this.#finished.find({ id: 0, kind: 'case', input }) ??
      (await evaluateStart(checked.problem, input, {
        evaluate,
        signal: endSignal,
        onBegin: (evaluation) => this.#running.set(0, runningNow(evaluation)),
        keep: (evaluation, final) => this.#keep(evaluation, 'start', final),
      }).finally(() => this.#running.delete(0)));
    this.#countRuns();
    if (outcome.kind === 'failure') {
      display.print(`The start failed: ${outcome.reason}; the search begins without it.`);
    }
    return outputOf({ outcome }, this.#names);
  }

  /** Nothing where others evaluate: the runs stay marked. */
  async #retry(trial: TrialPath): Promise<void> {
    const { client, checked, evaluate, jobs, signal, endSignal } = this.#options;
    if (evaluate === null) return;
    const ending = AbortSignal.any([signal, endSignal]);
    const run = async (line: RetriedLine) => {
      const evaluation = toEvaluation(checked.problem, line);
      if (ending.aborted) return undefined;
      this.#running.set(line.evaluation, runningNow(evaluation));
      return evaluateForGood(checked.problem, evaluation, evaluate, endSignal).finally(() => {
        this.#running.delete(line.evaluation);
      });
    };
    const onResult = () => this.#countRuns();
    await retryRuns({ client, journal: this.#journal, trial, jobs, evaluate: run, onResult });
  }

  #countRuns(): void {
    const { checked, display } = this.#options;
    this.#runs = runsOf(this.#journal.lines);
    for (const run of this.#runs) {
      if (this.#counted.get(run.number) === run.at) continue;
      this.#counted.set(run.number, run.at);
      const output = outputOf(run, this.#names);
      for (const set of this.#sets) set.add(run.number, run.input, output);
      const { best, goals } = this.#sets[this.standing.shown]!.current;
      // Of a front no run is the best.
      const shown = hasFront(goals) ? null : best;
      const result = output ?? (run.outcome.kind === 'failure' ? run.outcome.reason : 'no output');
      if (this.#isTelling) {
        display.printRun(renderRun(checked.problem, run, result, shown));
      }
    }
  }

  #writeResults(): Promise<void> {
    return this.#files.update({
      problem: this.#options.checked.problem,
      runs: this.#runs,
      sets: this.#sets.map((set) => set.current),
      search: this.#search.state,
      retried: countRetried(this.#journal.lines),
    });
  }
}

function describeRetries(count: number): string {
  return count === 0
    ? 'No run has failed, so there is nothing to try again.'
    : `Trying ${countOf(count, 'failed run')} once more.`;
}
