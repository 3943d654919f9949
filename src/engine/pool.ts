/**
 * Runs the optimizer in worker threads, so that a long computation never blocks the event loop that renews leases. A task
 * that exceeds the hard limit loses its thread; the optimizer's own work limit makes that rare.
 */
import PQueue from 'p-queue';
import { Piscina, queueOptionsSymbol } from 'piscina';
import { entryModule, SEMI_SPACE_MIB } from '../installation.ts';
import type { SolutionsRequest } from '../optimizer/interface/insights.ts';
import type { DesignRequest, SuggestRequest } from '../optimizer/interface/problem.ts';
import { FittedThreads, type Thread } from './fitted-threads.ts';
import type {
  DesignAnswer,
  EngineTask,
  ExplainAnswer,
  FitAnswer,
  FrontAnswer,
  IdentifiabilityAnswer,
  IdentifiabilityTask,
  PredictionsAnswer,
  PredictionsTask,
  RobustnessAnswer,
  RobustnessTask,
  SolutionsAnswer,
  SuggestAnswer,
  ThreadAnswer,
} from './protocol.ts';

export interface Engine {
  /** Rejects as `suggest` does. */
  design(request: DesignRequest, signal: AbortSignal): Promise<DesignAnswer>;
  /** The same in a separate thread, with a lower priority if the system allows it. */
  designApart(request: DesignRequest, signal: AbortSignal): Promise<DesignAnswer>;
  /**
   * Rejects with an AbortError or the reason of the signal when it fires, and with an AbortError when the hard limit is exceeded; an
   * optimizer error is a fault.
   */
  suggest(request: SuggestRequest, signal: AbortSignal): Promise<SuggestAnswer>;
  /**
   * Explains the model and the goal from the history; rejects as `suggest` does. For the same request object as an earlier
   * `suggest` the models are usually still in memory, which saves half of the work and changes nothing else.
   */
  explain(request: SuggestRequest, signal: AbortSignal): Promise<ExplainAnswer>;
  /** The probability that an input made with tolerances meets the goal; rejects as `suggest` does. */
  robustness(task: RobustnessTask, signal: AbortSignal): Promise<RobustnessAnswer>;
  /** The inputs that meeting the targets allows; rejects as `suggest` does. */
  identifiability(task: IdentifiabilityTask, signal: AbortSignal): Promise<IdentifiabilityAnswer>;
  /** Conclusions from the data of a fit about its inputs; rejects as `suggest` does. */
  fit(task: IdentifiabilityTask, signal: AbortSignal): Promise<FitAnswer>;
  /** Predictions of the models while one or two inputs vary; rejects as `suggest` does. */
  predictions(task: PredictionsTask, signal: AbortSignal): Promise<PredictionsAnswer>;
  /** Inputs that meet all targets; rejects as `suggest` does. */
  solutions(request: SolutionsRequest, signal: AbortSignal): Promise<SolutionsAnswer>;
  /** The front of a goal with outputs without aspiration, as far as known; rejects as `suggest` does. */
  front(request: SuggestRequest, signal: AbortSignal): Promise<FrontAnswer>;
  close(): Promise<void>;
}

export interface EngineSettings {
  readonly threads: number;
  /** Hard limit of one task, from the moment at which a thread begins it. */
  readonly timeLimitMs: number;
  /** Called with errors of the pool itself, such as a thread that dies. */
  readonly onError: (error: Error) => void;
}

/** Starts threads with the first tasks or, with `keepWarm`, immediately. They end after an idle minute unless kept warm. */
export function startEngine(settings: EngineSettings & { readonly keepWarm: boolean }): Engine {
  const fitted = new FittedThreads();
  const pool = startPool(settings, {
    entry: entryModule('engine/cached-entry.ts'),
    minThreads: settings.keepWarm ? settings.threads : 0,
    maxThreads: settings.threads,
    choose: (request, threads) => fitted.choose(request, threads),
  });
  const apart = startPool(settings, {
    entry: entryModule('engine/design-entry.ts'),
    minThreads: 0,
    maxThreads: 1,
  });

  const numbers = new WeakMap<SuggestRequest, number>();
  let lastNumber = 0;
  const numberOf = (request: SuggestRequest): number => {
    const number = numbers.get(request) ?? ++lastNumber;
    numbers.set(request, number);
    return number;
  };

  const run = async (task: EngineTask, signal: AbortSignal): Promise<unknown> => {
    const { threadId, answer } = await pool.run(task, signal);
    if (task.kind === 'suggest') fitted.remember(threadId, task.request);
    return answer;
  };
  const runNumbered = (kind: 'suggest' | 'explain', request: SuggestRequest, signal: AbortSignal) =>
    run({ kind, request, requestNumber: numberOf(request) }, signal);

  return {
    design: (request, signal) => run({ kind: 'design', request }, signal) as Promise<DesignAnswer>,
    designApart: async (request, signal) =>
      (await apart.run({ kind: 'design', request }, signal)).answer as DesignAnswer,
    suggest: (request, signal) => runNumbered('suggest', request, signal) as Promise<SuggestAnswer>,
    explain: (request, signal) => runNumbered('explain', request, signal) as Promise<ExplainAnswer>,
    robustness: (task, signal) => run({ kind: 'robustness', ...task }, signal) as Promise<RobustnessAnswer>,
    identifiability: (task, signal) =>
      run({ kind: 'identifiability', ...task }, signal) as Promise<IdentifiabilityAnswer>,
    fit: (task, signal) => run({ kind: 'fit', ...task }, signal) as Promise<FitAnswer>,
    predictions: (task, signal) => run({ kind: 'predictions', ...task }, signal) as Promise<PredictionsAnswer>,
    solutions: (request, signal) => run({ kind: 'solutions', request }, signal) as Promise<SolutionsAnswer>,
    front: (request, signal) => run({ kind: 'front', request }, signal) as Promise<FrontAnswer>,
    close: async () => {
      await Promise.all([pool.close(), apart.close()]);
    },
  };
}

/** Three semi-spaces, as V8 counts them: one is for large objects. It also holds where the process was started without NODE_FLAGS. */
const NEW_OBJECTS_MIB = 3 * SEMI_SPACE_MIB;

interface Threads {
  /** The module that the threads run. */
  readonly entry: URL;
  readonly minThreads: number;
  readonly maxThreads: number;
  /** An idle thread for a request; null when there is none. Absent: any. */
  readonly choose?: <T extends Thread>(request: object | null, threads: readonly T[]) => T | null;
}

/**
 * Tasks wait in a queue of ours: Piscina's stalls when an abort takes its last thread, and does not report when a task
 * begins.
 */
function startPool({ timeLimitMs, onError }: EngineSettings, { entry, minThreads, maxThreads, choose }: Threads) {
  const pool = new Piscina({
    filename: entry.href,
    minThreads,
    maxThreads,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxYoungGenerationSizeMb: NEW_OBJECTS_MIB },
    ...(choose && { loadBalancer: (task, threads) => choose(task[queueOptionsSymbol], threads) }),
  });
  // An aborted task can make the pool emit 'error', which would end the process without a listener.
  pool.on('error', (error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
  const line = new PQueue({ concurrency: maxThreads });
  const begin = (task: EngineTask, signal: AbortSignal): Promise<ThreadAnswer> => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
    return pool.run({ ...task, [queueOptionsSymbol]: task.request }, { signal: limited });
  };
  return {
    run: (task: EngineTask, signal: AbortSignal) => line.add(() => begin(task, signal), { signal }),
    close: () => pool.destroy(),
  };
}
