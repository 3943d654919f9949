/**
 * Works on a problem that is open here: runs what the service asks for, keeps every result before the service has it, and follows the
 * search to its end. It can be killed at any time and started again.
 */
import { type Evaluate, type Evaluation, LocalFault, type Outcome } from '../evaluator/evaluation.ts';
import { type Reportable, type ServiceClient, troubleOf } from '../evaluator/evaluation-calls.ts';
import { runEvaluator } from '../evaluator/evaluator.ts';
import type { EvaluatorEnd, EvaluatorEvent } from '../evaluator/evaluator-options.ts';
import { lastAsked, type OwnRunKind, type RetriedLine, type RunKind } from '../evaluator/journal.ts';
import { retryRuns, type TrialPath } from '../evaluator/retries.ts';
import { pause } from '../retry.ts';
import type { Kept } from './kept.ts';
import { changesOf, inBoth, type Looks } from './looks.ts';
import { listed, type StartPoint, slopesOf, toEvaluation, triesOf } from './plan.ts';
import type { Session } from './session.ts';
import { verifyFits } from './verifying.ts';

export interface EngineOptions {
  readonly session: Session;
  /** null when others evaluate. */
  readonly evaluate: Evaluate | null;
  /** Called when the journal has another result. */
  readonly onResult?: () => void;
  readonly onEvent?: (event: EvaluatorEvent) => void;
  /** Called when a line about a lease could not be written. */
  readonly onUnwritten?: (error: Error) => void;
  /** Reads more of a search after every look at its batch, and makes the engine look after every run and every second. */
  readonly follow?: (() => Promise<void>) | undefined;
  /** Whether it ends when the service does not answer and nothing is running; it waits otherwise. */
  readonly endsWhenAway?: boolean;
  /** Claims no more and waits for what is running. */
  readonly signal?: AbortSignal | undefined;
  /** Ends what is running. */
  readonly endSignal?: AbortSignal | undefined;
}

export interface RunningEvaluation {
  readonly evaluation: Evaluation;
  readonly kind: RunKind;
  readonly sinceMs: number;
}

/** over: the service has nothing more to run; otherwise as of an evaluator. */
export interface EngineEnd {
  readonly kind: 'over' | EvaluatorEnd['kind'];
  readonly reason?: string | undefined;
}

/** Between two looks at a search that gives nothing to run. */
const LOOK_MS = 1_000;
const END_WAIT_MS = 2_000;
const NEVER = new AbortController().signal;

/** The signals came before the search had begun. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

export class Engine {
  /** Evaluations in progress, by id. */
  readonly running = new Map<number, RunningEvaluation>();
  readonly #options: EngineOptions;
  readonly #session: Session;
  readonly #over = new AbortController();
  /** Evaluations whose outcome is that of an earlier run. */
  readonly #known = new Set<number>();
  #next = new AbortController();
  /** Looks of the black box after the first run; `enough` after two. */
  #seen: Looks | 'enough' | undefined;
  #busyAt = performance.now();
  #mayBeOver = false;
  #fault: { readonly error: unknown } | undefined;
  #away: string | undefined;

  constructor(options: EngineOptions) {
    const { evaluate, session } = options;
    this.#options = { ...options, evaluate: evaluate && ((...given) => this.#withNames(evaluate(...given))) };
    this.#session = session;
  }

  /** As Session.begin and Session.refuseOtherAnswers. Also throws LocalFault when this machine cannot run what comes before the search. */
  async begin(): Promise<void> {
    if (this.#options.evaluate !== null) await this.#session.refuseOtherAnswers((kept) => this.#evaluateAgain(kept));
    await this.#session.begin({
      evaluateStart: (input) => this.#evaluateStart(input),
      retry: (trial) => this.#retry(trial),
    });
  }

  /** Throws what `evaluate` and the journal throw, and BacksolveError when the service refuses to say how the search is going. */
  async run(): Promise<EngineEnd> {
    const end = await this.#search();
    const { evaluate, signal } = this.#options;
    if (end.kind === 'over' && evaluate !== null) {
      const evaluateHere = (input: readonly number[]) => this.#evaluateOwn('verify', input);
      await verifyFits({ session: this.#session, evaluate: evaluateHere, signal });
    }
    return end;
  }

  async #search(): Promise<EngineEnd> {
    await this.#options.follow?.();
    if (this.#session.isOver) return { kind: 'over' };
    const watching = this.#watch();
    const end = await this.#work().finally(() => {
      this.#over.abort();
      this.#wake();
    });
    await watching;
    const isUnknown = this.#fault === undefined && !this.#session.isOver;
    if (isUnknown && this.#options.follow !== undefined) await this.#look();
    if (this.#fault !== undefined) throw this.#fault.error;
    if (this.#session.isOver) return { kind: 'over' };
    return this.#away === undefined ? end : { kind: 'away', reason: this.#away };
  }

  async #work(): Promise<EngineEnd> {
    const { evaluate, signal = NEVER, endSignal = NEVER } = this.#options;
    const { claim, client, journal, plan } = this.#session;
    const over = this.#over.signal;
    const signals = { signal: AbortSignal.any([signal, over]), endSignal: AbortSignal.any([endSignal, over]) };
    if (evaluate === null) return untilAborted(AbortSignal.any([signals.signal, endSignal]));
    return runEvaluator({
      ...signals,
      client: client as ServiceClient,
      claim,
      jobs: plan.parallel,
      evaluate: async (evaluation, ending) => this.#find(evaluation) ?? (await evaluate(evaluation, ending)),
      beforeReport: (evaluation, outcome) => this.#keep(evaluation, evaluation.kind, outcome),
      firstClaim: lastAsked(journal.lines, claim),
      beforeClaim: (request) => journal.asked(request, claim),
      onEvent: (event) => this.#take(event),
    });
  }

  /** Before any run gave an output, other names tell of the problem rather than of the run: every further run would be in vain. */
  async #withNames(running: Promise<Outcome>): Promise<Outcome> {
    const outcome = await running;
    if (outcome.kind !== 'failure' || outcome.others === undefined) return outcome;
    const { others, ...failure } = outcome;
    if (this.#session.runs.some((run) => run.outcome.kind === 'output')) return failure;
    return { kind: 'abort', reason: `${failure.reason}. Correct the names: the same call then begins anew` };
  }

  /** Result of an earlier run, if the black box need not be called. */
  #find(evaluation: Evaluation): Reportable | undefined {
    const known = this.#session.finished.find(evaluation);
    if (known !== undefined) this.#known.add(evaluation.id);
    return known;
  }

  /** On disk before the service hears of it. */
  async #keep(evaluation: Evaluation, kind: RunKind, outcome: Reportable): Promise<void> {
    const { finished, journal } = this.#session;
    const sinceMs = this.running.get(evaluation.id)?.sinceMs ?? performance.now();
    const seconds = (performance.now() - sinceMs) / 1000;
    await journal.finished(evaluation, kind, outcome, seconds, this.#known.delete(evaluation.id));
    finished.add(evaluation.id, evaluation.input, outcome);
    await this.#learnWhatMoves();
  }

  /** A file that changes with each of two runs is written by the runs; a person edits one now and then. */
  async #learnWhatMoves(): Promise<void> {
    const { looks, plan } = this.#session;
    if (looks === undefined || plan.looker === null || this.#seen === 'enough') return;
    const first = this.#seen;
    this.#seen = 'enough';
    const now = await plan.looker.look();
    if (first === undefined) this.#seen = now;
    else await this.#session.ignore(inBoth(changesOf(looks, first), changesOf(first, now)));
  }

  /** Throws InterruptedError. */
  async #evaluateAgain({ input, source }: Kept): Promise<Reportable> {
    const { signal = NEVER } = this.#options;
    const evaluation = toEvaluation(this.#session.plan, { run: 'verify', input, source });
    const outcome = signal.aborted ? undefined : await this.#evaluateForGood(evaluation, 'verify');
    if (outcome === undefined) throw new InterruptedError('Interrupted before a kept run was compared.');
    return outcome;
  }

  #take(event: EvaluatorEvent): void {
    const { journal } = this.#session;
    this.#busyAt = performance.now();
    if ('evaluation' in event) {
      if (event.type === 'claimed') this.#begun(event.evaluation, event.evaluation.kind);
      else this.running.delete(event.evaluation.id);
    }
    if (event.type === 'claimed') this.#write(journal.claimed(event.evaluation));
    if (event.type === 'reported') {
      this.#mayBeOver ||= event.mayBeLast;
      this.#write(journal.reported(event.evaluation, event.state), this.#options.onResult);
    }
    // A dropped run stays open in the journal; the next start clears it up with the service.
    if (event.type === 'released' || event.type === 'unwanted') this.#write(journal.released(event.evaluation));
    this.#options.onEvent?.(event);
    if (this.#mayBeOver || this.#options.follow !== undefined) this.#wake();
  }

  #begun(evaluation: Evaluation, kind: RunKind): void {
    this.running.set(evaluation.id, { evaluation, kind, sinceMs: performance.now() });
  }

  /** Lines about leases may come late; a disk that takes none ends the evaluator with its next result. */
  #write(written: Promise<void>, then: () => void = () => undefined): void {
    written.then(then, (error: Error) => this.#options.onUnwritten?.(error));
  }

  #wake(): void {
    this.#next.abort();
  }

  /** Looks at the search when it may have ended, and ends the evaluator with it. */
  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await pause(LOOK_MS, this.#next.signal).catch(() => undefined);
      this.#next = new AbortController();
      const isIdle = this.running.size === 0 && performance.now() - this.#busyAt >= LOOK_MS;
      if (this.#over.signal.aborted || !(isIdle || this.#mayBeOver || this.#options.follow !== undefined)) continue;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { endsWhenAway = false, follow, onEvent } = this.#options;
    const limitMs = this.#mayBeOver ? END_WAIT_MS : 0;
    this.#mayBeOver = false;
    try {
      const isOver = await this.#session.untilOver(limitMs);
      await follow?.();
      if (isOver) this.#over.abort();
    } catch (error) {
      if (troubleOf(error) !== 'away') {
        this.#fault ??= { error };
        this.#over.abort();
        return;
      }
      const reason = (error as Error).message;
      onEvent?.({ type: 'away', reason });
      // Runs in progress are worth more than a prompt end: their results are kept, and the service may come back.
      if (!endsWhenAway || this.running.size > 0 || this.#over.signal.aborted) return;
      this.#away = reason;
      this.#over.abort();
    }
  }

  /** Undefined when it was ended early. Throws LocalFault when it cannot be run here, or when the black box asks to end all work. */
  async #evaluateForGood(evaluation: Evaluation, kind: RunKind): Promise<Reportable | undefined> {
    const { evaluate, endSignal = NEVER } = this.#options;
    this.#begun(evaluation, kind);
    try {
      for (let left = triesOf(this.#session.plan.batch) - 1; !endSignal.aborted; left--) {
        const outcome = await evaluate!(evaluation, endSignal);
        if (outcome.kind === 'abort') throw new LocalFault(outcome.reason);
        if (outcome.kind === 'output') return outcome;
        if (endSignal.aborted) return undefined;
        if (!outcome.retryable || left <= 0) return { ...outcome, retryable: false };
      }
      return undefined;
    } finally {
      this.running.delete(evaluation.id);
    }
  }

  async #evaluateStart(input: readonly number[]): Promise<StartPoint | null> {
    const outcome = await this.#evaluateOwn('start', input);
    if (outcome === undefined) throw new InterruptedError('Interrupted before the start was evaluated.');
    const initialOutput = listed(outcome, this.#session.plan.project.outputNames);
    const initialJacobian = slopesOf(outcome);
    return initialOutput && { initialInput: input, initialOutput, ...(initialJacobian && { initialJacobian }) };
  }

  /** Outside any lease. Undefined when it was ended early. */
  async #evaluateOwn(run: OwnRunKind, input: readonly number[]): Promise<Reportable | undefined> {
    const { evaluate, onResult, signal } = this.#options;
    const { finished, plan } = this.#session;
    const evaluation = toEvaluation(plan, { run, input });
    const known = finished.find(evaluation);
    if (known !== undefined) return known;
    if (evaluate === null) throw new LocalFault('The start is evaluated here: leave out start, or --no-evaluate.');
    const outcome = signal?.aborted === true ? undefined : await this.#evaluateForGood(evaluation, run);
    if (outcome === undefined) return undefined;
    await this.#keep(evaluation, run, outcome);
    onResult?.();
    return outcome;
  }

  /** Without a black box the runs stay marked. */
  async #retry(trial: TrialPath): Promise<void> {
    const { evaluate, onResult, signal = NEVER } = this.#options;
    const { client, journal, plan } = this.#session;
    if (evaluate === null) return;
    const run = async (line: RetriedLine) =>
      signal.aborted ? undefined : this.#evaluateForGood(toEvaluation(plan, line), line.run);
    await retryRuns({
      client: client as ServiceClient,
      journal,
      trial,
      jobs: plan.parallel,
      evaluate: run,
      ...(onResult && { onResult }),
    });
  }
}

async function untilAborted(signal: AbortSignal): Promise<EngineEnd> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return { kind: 'stopped' };
}
