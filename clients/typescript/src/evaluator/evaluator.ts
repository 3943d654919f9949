/**
 * The loop of an evaluator: claims evaluations, no more than it starts immediately, runs them, keeps their leases and reports what
 * became of them. Several evaluators on any number of machines work on one project without knowing of each other.
 */
import { makeIdempotencyKey } from '../request.ts';
import { pause } from '../retry.ts';
import { type Evaluation, LocalFault, type Outcome, type Release } from './evaluation.ts';
import {
  type Claimed,
  type ClaimRequest,
  type EvaluationCalls,
  makeEvaluationCalls,
  type Reportable,
  type Trouble,
  troubleOf,
} from './evaluation-calls.ts';
import type { EvaluatorEnd, EvaluatorEvent, EvaluatorOptions } from './evaluator-options.ts';

export type { EvaluatorEnd, EvaluatorEvent, EvaluatorOptions } from './evaluator-options.ts';

export function runEvaluator(options: EvaluatorOptions): Promise<EvaluatorEnd> {
  return new Evaluator(options).run();
}

/** The longest wait of one claim; the service allows 25. */
const CLAIM_WAIT_SECONDS = 20;
const LONGEST_PAUSE_MS = 30_000;
/** An answer this early, although the claim may wait, would make a hot loop. */
const EARLY_MS = 1_000;
/** Time that releases may take when everything ends. */
const RELEASE_LIMIT_MS = 5_000;

type Ending = Omit<EvaluatorEnd, 'tally'>;
type Verdict = 'lost' | 'unwanted';

/** An evaluation that runs here. Its lease changes when it is claimed again while it runs. */
interface Job {
  evaluation: Evaluation;
  /** Aborted with the verdict when the result is no longer needed. */
  readonly cancel: AbortController;
  isReporting: boolean;
}

class Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #calls: EvaluationCalls;
  readonly #end = new AbortController();
  readonly #jobs = new Map<number, Job>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  readonly #tally = { outputs: 0, failures: 0, retries: 0, others: 0 };
  #ending: Ending | undefined;
  #unexpected: unknown;
  #claimedCount = 0;
  /** A claim of an earlier process, to be repeated. */
  #lost: ClaimRequest | undefined;
  #idleSince = performance.now();
  /** Whether the service has ever answered. */
  #isKnown = false;
  #isAway = false;
  #wake: () => void = () => undefined;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    const { firstClaim, jobs } = options;
    if (firstClaim !== undefined && firstClaim.limit <= jobs) this.#lost = firstClaim;
    this.#calls = makeEvaluationCalls(options.client, options.claim);
  }

  async run(): Promise<EvaluatorEnd> {
    const stop = () => this.#finish({ kind: 'stopped' });
    const end = () => {
      stop();
      // Without the reason of the caller's signal, which may be anything.
      this.#end.abort();
    };
    const { signal, endSignal } = this.#options;
    if (signal.aborted) stop();
    if (endSignal?.aborted) end();
    signal.addEventListener('abort', stop, { once: true });
    endSignal?.addEventListener('abort', end, { once: true });
    try {
      await this.#claimUntilStopped();
      await Promise.all(this.#running);
    } finally {
      signal.removeEventListener('abort', stop);
      endSignal?.removeEventListener('abort', end);
    }
    if (this.#unexpected !== undefined) throw this.#unexpected;
    return { ...this.#ending!, tally: this.#tally };
  }

  /** Claims no more. The first reason counts. */
  #finish(ending: Ending): void {
    this.#ending ??= ending;
    this.#stopped.abort();
    this.#wake();
  }

  /** Until an evaluation is over or the evaluator has been stopped. */
  #untilWoken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  async #claimUntilStopped(): Promise<void> {
    const { jobs, limit = Number.POSITIVE_INFINITY } = this.#options;
    for (let failures = 0; this.#ending === undefined; ) {
      const free = Math.min(jobs - this.#jobs.size, limit - this.#claimedCount);
      if (free <= 0) {
        if (this.#claimedCount >= limit) this.#finish({ kind: 'limit' });
        else await this.#untilWoken();
        continue;
      }
      const startedAt = performance.now();
      const claimed = await this.#claim(free).catch((error: unknown) => this.#explain(error));
      if (claimed === undefined) {
        failures += 1;
        this.#lookWhetherDrained('away');
        await this.#pause(backoffMs(failures), this.#stopped.signal);
        continue;
      }
      failures = 0;
      for (const evaluation of claimed.evaluations) this.#start(evaluation);
      if (claimed.evaluations.length > 0) continue;
      this.#lookWhetherDrained('drained');
      const isEarly = performance.now() - startedAt < EARLY_MS;
      if (isEarly) await this.#pause((claimed.retryAfterSeconds ?? 1) * 1000, this.#stopped.signal);
    }
  }

  async #claim(limit: number): Promise<Claimed> {
    const { drainSeconds = Number.POSITIVE_INFINITY } = this.#options;
    const left = drainSeconds - this.#idleSeconds();
    const wait = Math.max(0, Math.min(CLAIM_WAIT_SECONDS, Math.ceil(left)));
    const request = this.#lost ?? { key: makeIdempotencyKey(), limit, wait };
    this.#lost = undefined;
    await this.#options.beforeClaim?.(request);
    return this.#answered(await this.#calls.claim(request, this.#stopped.signal));
  }

  /** Undefined when a later claim may succeed. */
  #explain(error: unknown): undefined {
    if (this.#stopped.signal.aborted) return;
    const trouble = this.#troubleOf(error);
    if (trouble === 'away') this.#noteAway(error);
    else if (trouble !== undefined) this.#finish({ kind: 'denied', reason: messageOf(error) });
    else this.#fail(error);
  }

  #lookWhetherDrained(kind: 'drained' | 'away'): void {
    const { drainSeconds } = this.#options;
    if (drainSeconds === undefined || this.#jobs.size > 0 || this.#idleSeconds() < drainSeconds) return;
    this.#finish(kind === 'drained' ? { kind } : { kind, reason: 'the service could not be reached' });
  }

  #idleSeconds(): number {
    return this.#jobs.size > 0 ? 0 : (performance.now() - this.#idleSince) / 1000;
  }

  #start(evaluation: Evaluation): void {
    const known = this.#jobs.get(evaluation.id);
    if (known !== undefined && !known.cancel.signal.aborted) {
      // Its lease had expired while the service was away; the run goes on under the new one.
      known.evaluation = evaluation;
      return;
    }
    this.#claimedCount += 1;
    this.#emit({ type: 'claimed', evaluation });
    const job: Job = { evaluation, cancel: new AbortController(), isReporting: false };
    this.#jobs.set(evaluation.id, job);
    const running = this.#work(job)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (this.#jobs.get(evaluation.id) === job) this.#jobs.delete(evaluation.id);
        this.#running.delete(running);
        this.#idleSince = performance.now();
        this.#wake();
      });
    this.#running.add(running);
  }

  async #work(job: Job): Promise<void> {
    const over = new AbortController();
    const keeping = this.#keepLease(job, over.signal).catch((error: unknown) => this.#fail(error));
    try {
      const startedAt = performance.now();
      const outcome = await this.#evaluate(job);
      const seconds = (performance.now() - startedAt) / 1000;
      await this.#conclude(job, outcome, seconds);
    } finally {
      over.abort();
      await keeping;
    }
  }

  /** Undefined when this machine could not run it. */
  async #evaluate(job: Job): Promise<Outcome | Release | undefined> {
    const signal = AbortSignal.any([job.cancel.signal, this.#end.signal]);
    try {
      return await this.#options.evaluate(job.evaluation, signal);
    } catch (error) {
      if (!(error instanceof LocalFault)) this.#unexpected ??= error;
      this.#finish({ kind: 'fault', reason: messageOf(error) });
      return undefined;
    }
  }

  async #conclude(job: Job, outcome: Outcome | Release | undefined, seconds: number): Promise<void> {
    const verdict = job.cancel.signal.aborted ? (job.cancel.signal.reason as Verdict) : undefined;
    if (verdict === 'lost') return this.#drop(job, 'its lease is lost: another evaluator may have it');
    if (outcome === undefined) return this.#release(job, this.#ending?.reason ?? 'it could not be run here');
    if (outcome.kind === 'abort') {
      this.#finish({ kind: 'abort', reason: outcome.reason, evaluation: job.evaluation });
      return this.#release(job, outcome.reason);
    }
    if (outcome.kind === 'release') return this.#release(job, outcome.reason);
    if (outcome.kind === 'failure' && verdict === 'unwanted') {
      this.#tally.others += 1;
      this.#emit({ type: 'unwanted', evaluation: job.evaluation });
      return;
    }
    if (outcome.kind === 'failure' && this.#end.signal.aborted) return this.#release(job, 'the evaluator ends');
    try {
      await this.#options.beforeReport?.(job.evaluation, outcome);
    } catch (error) {
      this.#unexpected ??= error;
      this.#finish({ kind: 'fault', reason: messageOf(error) });
      return this.#release(job, 'its result could not be kept');
    }
    job.isReporting = true;
    await this.#report(job, outcome, seconds);
  }

  /** Until the service has answered, however long it is away; the end of the evaluator leaves it one attempt. */
  async #report(job: Job, given: Reportable, seconds: number): Promise<void> {
    let outcome = given;
    for (let failures = 0; ; ) {
      const { evaluation } = job;
      try {
        const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(LONGEST_PAUSE_MS)]);
        const limited = this.#end.signal.aborted ? AbortSignal.timeout(RELEASE_LIMIT_MS) : signal;
        const { state, mayBeLast } = this.#answered(
          await this.#calls.report(evaluation, outcome, seconds * 1e9, limited),
        );
        this.#count(outcome, state);
        this.#emit({ type: 'reported', evaluation: job.evaluation, outcome, state, mayBeLast, seconds });
        return;
      } catch (error) {
        const trouble = this.#troubleOf(error);
        if (trouble === undefined) throw error;
        // Claimed again meanwhile: it is reported under the new lease.
        if (trouble === 'lost' && job.evaluation !== evaluation) continue;
        if (trouble === 'lost' || trouble === 'denied') return this.#drop(job, messageOf(error), outcome);
        if (trouble === 'refused') {
          if (outcome.kind === 'failure') return this.#drop(job, messageOf(error), given);
          outcome = { kind: 'failure', reason: `the output was refused: ${messageOf(error)}`, retryable: false };
          continue;
        }
        if (!this.#end.signal.aborted) this.#noteAway(error);
        failures += 1;
        if (this.#end.signal.aborted && failures > 1) return this.#drop(job, messageOf(error), outcome);
        await this.#pause(backoffMs(failures), this.#end.signal);
      }
    }
  }

  #count(outcome: Reportable, state: string): void {
    if (outcome.kind === 'output') this.#tally.outputs += 1;
    else if (state === 'waiting') this.#tally.retries += 1;
    else this.#tally.failures += 1;
  }

  #drop(job: Job, reason: string, outcome?: Reportable): void {
    this.#tally.others += 1;
    this.#emit({ type: 'dropped', evaluation: job.evaluation, reason, ...(outcome && { outcome }) });
  }

  async #release(job: Job, reason: string): Promise<void> {
    this.#tally.others += 1;
    try {
      await this.#calls.release(job.evaluation, AbortSignal.timeout(RELEASE_LIMIT_MS));
      this.#emit({ type: 'released', evaluation: job.evaluation, reason });
    } catch (error) {
      // The lease expires by itself.
      if (this.#troubleOf(error) === undefined) throw error;
      this.#emit({ type: 'dropped', evaluation: job.evaluation, reason: `${reason}; ${messageOf(error)}` });
    }
  }

  /** Tells the service that the evaluation is in hand, until `over`; cancels the job when its result is no longer needed. */
  async #keepLease(job: Job, over: AbortSignal): Promise<void> {
    const everyMs = Math.floor((this.#options.claim.leaseSeconds * 1000) / 3);
    while (await this.#pause(everyMs, over)) {
      const verdict = await this.#heartbeat(job, everyMs, over);
      if (verdict !== undefined && !job.isReporting) job.cancel.abort(verdict);
    }
  }

  async #heartbeat(job: Job, limitMs: number, over: AbortSignal): Promise<Verdict | undefined> {
    const signal = AbortSignal.any([over, AbortSignal.timeout(limitMs)]);
    try {
      const { isWanted } = this.#answered(await this.#calls.heartbeat(job.evaluation, signal));
      return isWanted ? undefined : 'unwanted';
    } catch (error) {
      const trouble = this.#troubleOf(error);
      if (trouble === undefined) throw error;
      if (trouble === 'away' && !over.aborted) this.#noteAway(error);
      return trouble === 'lost' && !(await this.#isUnclaimed(job, signal)) ? 'lost' : undefined;
    }
  }

  /** Whether no other evaluator has it, so that its output would still be accepted. True when in doubt. */
  async #isUnclaimed(job: Job, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#calls.readState(job.evaluation, signal)) === 'waiting';
    } catch (error) {
      return this.#troubleOf(error) === 'away';
    }
  }

  #troubleOf(error: unknown): Trouble | undefined {
    return troubleOf(error, this.#isKnown);
  }

  #noteAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#emit({ type: 'away', reason: messageOf(error), isNew: !this.#isKnown });
  }

  #answered<T>(answer: T): T {
    this.#isKnown = true;
    if (this.#isAway) {
      this.#isAway = false;
      this.#emit({ type: 'back' });
    }
    return answer;
  }

  #fail(error: unknown): void {
    this.#unexpected ??= error;
    this.#finish({ kind: 'fault', reason: messageOf(error) });
  }

  #emit(event: EvaluatorEvent): void {
    this.#options.onEvent?.(event);
  }

  /** Whether the whole time passed. */
  #pause(ms: number, signal: AbortSignal): Promise<boolean> {
    return pause(ms, signal).then(
      () => true,
      () => false,
    );
  }
}

/** 1, 2, 4, ... 30 s, each shortened by up to a half, so that many evaluators do not come back together. */
function backoffMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures) * (1 - Math.random() / 2);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
