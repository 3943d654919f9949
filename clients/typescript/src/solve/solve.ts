/** Solves a problem whose black box is a function: creates it, runs the function, follows the search to its end. */

import type { Evaluation } from '../evaluator/evaluation.ts';
import { type Reportable, type ServiceClient, troubleOf } from '../evaluator/evaluation-calls.ts';
import { runEvaluator } from '../evaluator/evaluator.ts';
import type { EvaluatorEnd, EvaluatorEvent } from '../evaluator/evaluator-options.ts';
import { type JournalLine, lastAsked, runsOf } from '../evaluator/journal.ts';
import { fiveDigits } from '../evaluator/nearness.ts';
import { pause } from '../retry.ts';
import type { Goals, OutputsOf } from './goals.ts';
import { type Inputs, toValues, type ValuesOf } from './inputs.ts';
import { refuseUnknownOptions, type SolveOptions } from './options.ts';
import type { Problem } from './problem.ts';
import { type FinishedRun, type Result, readResult, toRun } from './result.ts';
import { failureOf, readGiven, Session } from './session.ts';

/**
 * @param input  a value per input, by its name
 * @param signal aborted when nobody wants the output any more
 * @returns      a number per goal by its name, or in the order of the goals, or the one number. NaN, an infinite number and
 *               an exception make a failed run.
 */
export type BlackBox<I extends Inputs, G extends Goals> = (
  input: ValuesOf<I>,
  signal: AbortSignal,
) => Given<G> | Promise<Given<G>>;

type Given<G extends Goals> = OutputsOf<G> | readonly number[] | number;

/** Between two looks at a search that gives nothing to run. */
const LOOK_MS = 1_000;
const END_WAIT_MS = 2_000;

/**
 * Finds inputs that meet the goals. The same call after a crash goes on: no finished run is repeated, and a search that is over gives its
 * result at once, until `fresh` starts over.
 *
 * Throws RangeError, TypeError, ChangedProblemError, BudgetError, ProblemLockedError, LocalServiceError, JournalError, and BacksolveError
 * when the service refuses. While it does not answer, the search waits for it.
 */
export async function solve<const I extends Inputs, const G extends Goals>(
  blackBox: BlackBox<I, G>,
  options: SolveOptions<I, G>,
): Promise<Result<I, G>> {
  refuseUnknownOptions(options, 'solve');
  if (options.retryFailed === true && options.fresh === true) {
    throw new TypeError('retryFailed goes on with the runs that fresh puts aside: give one of the two.');
  }
  const teller = new Teller(options);
  const { retryFailed = false, signal } = options;
  const wanted = new AbortController().signal;
  const session = await Session.open<I, G>(options, options, {
    code: String(blackBox),
    retryFailed,
    evaluate: async (input) => (signal?.aborted ? undefined : callBox(options, blackBox, input, wanted)),
    onResult: (lines) => teller.tell(lines),
  });
  try {
    const solver = new Solver(session, blackBox, options, teller);
    await solver.run();
    return await readResult(session);
  } finally {
    await session.close();
  }
}

class Solver<I extends Inputs, G extends Goals> {
  readonly #session: Session<I, G>;
  readonly #blackBox: BlackBox<I, G>;
  readonly #options: SolveOptions<I, G>;
  readonly #over = new AbortController();
  readonly #since = new Map<number, number>();
  /** When a run began or ended last. */
  #busyAt = performance.now();
  readonly #teller: Teller<I, G>;
  #fault: { readonly error: unknown } | undefined;

  constructor(session: Session<I, G>, blackBox: BlackBox<I, G>, options: SolveOptions<I, G>, teller: Teller<I, G>) {
    this.#teller = teller;
    this.#session = session;
    this.#blackBox = blackBox;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { client, claim, journal, isOver } = this.#session;
    this.#teller.tell(journal.lines);
    if (isOver) return;
    const { parallel = 1, signal } = this.#options;
    const over = this.#over.signal;
    const watching = this.#watch();
    const end = await runEvaluator({
      client: client as ServiceClient,
      claim,
      jobs: parallel,
      evaluate: (evaluation, ending) => this.#evaluate(evaluation, ending),
      beforeReport: (evaluation, outcome) => this.#keep(evaluation, outcome),
      firstClaim: lastAsked(journal.lines),
      beforeClaim: (request) => journal.asked(request),
      onEvent: (event) => this.#take(event),
      signal: signal === undefined ? over : AbortSignal.any([signal, over]),
      endSignal: over,
    }).finally(() => this.#over.abort());
    await watching;
    if (this.#fault !== undefined) throw this.#fault.error;
    await this.#explain(end);
  }

  async #evaluate(evaluation: Evaluation, signal: AbortSignal): Promise<Reportable> {
    const { finished, problem } = this.#session;
    const known = finished.find(evaluation);
    if (known !== undefined) return known;
    return callBox(problem, this.#blackBox, evaluation.input, signal);
  }

  /** On disk before anybody hears of it. */
  async #keep(evaluation: Evaluation, outcome: Reportable): Promise<void> {
    const { finished, journal } = this.#session;
    const seconds = (performance.now() - (this.#since.get(evaluation.id) ?? performance.now())) / 1000;
    await journal.finished(evaluation, evaluation.kind, outcome, seconds);
    finished.add(evaluation.id, evaluation.input, outcome);
  }

  #take(event: EvaluatorEvent): void {
    const { journal } = this.#session;
    this.#busyAt = performance.now();
    switch (event.type) {
      case 'claimed':
        this.#since.set(event.evaluation.id, performance.now());
        this.#write(journal.claimed(event.evaluation));
        return;
      case 'reported':
        this.#since.delete(event.evaluation.id);
        this.#write(journal.reported(event.evaluation, event.state));
        this.#teller.tell(this.#session.journal.lines);
        if (event.mayBeLast) this.#look(END_WAIT_MS);
        return;
      case 'released':
      case 'unwanted':
        this.#since.delete(event.evaluation.id);
        this.#write(journal.released(event.evaluation));
    }
  }

  /** Lines about leases may come late; a disk that takes none ends the search with its next result. */
  #write(written: Promise<void>): void {
    written.catch(() => undefined);
  }

  /** Looks at the search while it gives nothing to run, and ends the evaluator with it. */
  async #watch(): Promise<void> {
    const over = this.#over.signal;
    while (!over.aborted) {
      await pause(LOOK_MS, over).catch(() => undefined);
      const isIdle = this.#since.size === 0 && performance.now() - this.#busyAt >= LOOK_MS;
      if (!over.aborted && isIdle) await this.#look(0);
    }
  }

  async #look(limitMs: number): Promise<void> {
    try {
      if (await this.#session.untilOver(limitMs)) this.#over.abort();
    } catch (error) {
      // While the service is away the evaluator waits for it; what it refuses, it refuses the evaluator as well.
      if (troubleOf(error) !== undefined) return;
      this.#fault = { error };
      this.#over.abort();
    }
  }

  /** An evaluator that was refused ends with words only; the call that is refused as well has the error. */
  async #explain({ kind, reason }: EvaluatorEnd): Promise<void> {
    if (kind === 'stopped') return;
    await this.#session.refresh();
    throw new Error(reason ?? `The runs ended: ${kind}.`);
  }
}

/** Tells of every run that is over, once; of one that was tried again once more. */
class Teller<I extends Inputs, G extends Goals> {
  readonly #options: SolveOptions<I, G>;
  /** When each run ended, by its number. */
  readonly #told = new Map<number, string>();

  constructor(options: SolveOptions<I, G>) {
    this.#options = options;
  }

  tell(lines: readonly JournalLine[]): void {
    const { onRun, progress = process.stderr.isTTY === true } = this.#options;
    if (onRun === undefined && !progress) return;
    for (const run of runsOf(lines)) {
      if (this.#told.get(run.number) === run.at) continue;
      this.#told.set(run.number, run.at);
      const told = toRun(this.#options, run);
      onRun?.(told);
      if (progress) process.stderr.write(`${describeRun(told)}\n`);
    }
  }
}

/** What the black box gives for an input. Throws TypeError when an output is missing, which no run can cure. */
async function callBox<I extends Inputs, G extends Goals>(
  problem: Problem<I, G>,
  blackBox: BlackBox<I, G>,
  input: readonly number[],
  signal: AbortSignal,
): Promise<Reportable> {
  let given: Given<G>;
  try {
    given = await blackBox(toValues(problem.inputs, input), signal);
  } catch (error) {
    return failureOf(error);
  }
  return readGiven(problem, given);
}

function describeRun({ number, input, output, error }: FinishedRun<Inputs, Goals>): string {
  const words = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${typeof value === 'number' ? fiveDigits(value) : value}`)
      .join(' ');
  return `run ${number}: ${words(input)} -> ${output === null ? `failed: ${error}` : words(output)}`;
}
