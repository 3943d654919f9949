/**
 * Runs the optimizer in worker threads, so that a long computation never blocks the event loop that renews leases. A task
 * that exceeds the hard limit loses its thread; the optimizer's own work limit makes that rare.
 */
import { Piscina, queueOptionsSymbol } from 'piscina';
import type { SolutionsRequest } from '../optimizer/insights.ts';
import type { DesignRequest, SuggestRequest } from '../optimizer/problem.ts';
import { FittedThreads } from './fitted-threads.ts';
import type {
  DesignAnswer,
  EngineTask,
  ExplainAnswer,
  FrontAnswer,
  IdentifiabilityAnswer,
  IdentifiabilityTask,
  RobustnessAnswer,
  RobustnessTask,
  SolutionsAnswer,
  SuggestAnswer,
  ThreadAnswer,
} from './protocol.ts';

export interface Engine {
  design(request: DesignRequest): Promise<DesignAnswer>;
  /** Rejects with an AbortError when the signal fires or the hard limit is exceeded; an optimizer error is a fault. */
  suggest(request: SuggestRequest, signal: AbortSignal): Promise<SuggestAnswer>;
  /**
   * What the history says about the model and the goal; rejects as `suggest` does. For the same request object as an earlier
   * `suggest` the models are usually still in memory, which saves half of the work and changes nothing else.
   */
  explain(request: SuggestRequest, signal: AbortSignal): Promise<ExplainAnswer>;
  /** How surely an input meets the goal when it is made with tolerances. Rejects like `suggest`, at the hard limit only. */
  robustness(task: RobustnessTask): Promise<RobustnessAnswer>;
  /** What meeting the targets tells about the inputs. Rejects in the same way. */
  identifiability(task: IdentifiabilityTask): Promise<IdentifiabilityAnswer>;
  /** Inputs that meet all targets; rejects as `suggest` does. */
  solutions(request: SolutionsRequest, signal: AbortSignal): Promise<SolutionsAnswer>;
  /** What is known of the front of a goal with outputs without aspiration; rejects as `suggest` does. */
  front(request: SuggestRequest, signal: AbortSignal): Promise<FrontAnswer>;
  close(): Promise<void>;
}

export interface EngineSettings {
  readonly threads: number;
  /** Hard limit of one task. */
  readonly timeLimitMs: number;
  /** Called with errors of the pool itself, such as a thread that dies. */
  readonly onError: (error: Error) => void;
}

/** Starts threads with the first tasks or, with `keepWarm`, at once. They end after a minute idle unless kept warm. */
export function startEngine(settings: EngineSettings & { readonly keepWarm: boolean }): Engine {
  const fitted = new FittedThreads();
  const pool = new Piscina({
    filename: new URL('./entry.ts', import.meta.url).href,
    minThreads: settings.keepWarm ? settings.threads : 0,
    maxThreads: settings.threads,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: 1,
    loadBalancer: (task, threads) => fitted.choose(task[queueOptionsSymbol], threads),
  });
  // An aborted task can make the pool emit 'error', which would end the process without a listener.
  pool.on('error', (error: unknown) => settings.onError(error instanceof Error ? error : new Error(String(error))));

  const numbers = new WeakMap<SuggestRequest, number>();
  let lastNumber = 0;
  const numberOf = (request: SuggestRequest): number => {
    const number = numbers.get(request) ?? ++lastNumber;
    numbers.set(request, number);
    return number;
  };

  const run = async (task: EngineTask, signal: AbortSignal | undefined): Promise<unknown> => {
    const limit = AbortSignal.timeout(settings.timeLimitMs);
    const { threadId, answer } = (await pool.run(
      { ...task, [queueOptionsSymbol]: task.request },
      { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) },
    )) as ThreadAnswer;
    if (task.kind === 'suggest') fitted.remember(threadId, task.request);
    return answer;
  };
  const runNumbered = (kind: 'suggest' | 'explain', request: SuggestRequest, signal: AbortSignal) =>
    run({ kind, request, requestNumber: numberOf(request) }, signal);

  return {
    design: (request) => run({ kind: 'design', request }, undefined) as Promise<DesignAnswer>,
    suggest: (request, signal) => runNumbered('suggest', request, signal) as Promise<SuggestAnswer>,
    explain: (request, signal) => runNumbered('explain', request, signal) as Promise<ExplainAnswer>,
    robustness: (task) => run({ kind: 'robustness', ...task }, undefined) as Promise<RobustnessAnswer>,
    identifiability: (task) => run({ kind: 'identifiability', ...task }, undefined) as Promise<IdentifiabilityAnswer>,
    solutions: (request, signal) => run({ kind: 'solutions', request }, signal) as Promise<SolutionsAnswer>,
    front: (request, signal) => run({ kind: 'front', request }, signal) as Promise<FrontAnswer>,
    close: () => pool.destroy(),
  };
}
