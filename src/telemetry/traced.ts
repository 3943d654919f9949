/** Spans for jobs, SQL statements and computations. Requests have theirs from the ingress. */
import type { AroundStatement } from '../db/connection/client.ts';
import type { LeasedJob } from '../domain/search/suggestion-job.ts';
import type { Engine } from '../engine/pool.ts';
import { activeSpan } from './trace-context.ts';
import type { SpanStart, Tracing } from './tracing.ts';

/** From the statement's text, with placeholders; values never leave the process. */
const TEXT_LIMIT = 1_000;

/** There are few texts, see db/connection/prepared-statements.ts; beyond this number they are described each time. */
const DESCRIBED_LIMIT = 500;

/**
 * Statements outside a span, such as polls, are not traced: each would be a trace of its own. Statements of an unsampled trace are
 * not traced either.
 */
export function traceStatements(tracing: Tracing): AroundStatement {
  const described = new Map<string, SpanStart>();
  const describe = (text: string): SpanStart => {
    const known = described.get(text);
    if (known !== undefined) return known;
    const start = describeStatement(text);
    if (described.size < DESCRIBED_LIMIT) described.set(text, start);
    return start;
  };
  return (text, run) => (activeSpan()?.isRecorded ? tracing.inSpan(describe(text), run) : run());
}

function describeStatement(text: string): SpanStart {
  const operation = /^\s*(?:\/\*.*?\*\/\s*)?(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, TEXT_LIMIT),
  };
  return { name: `sql ${operation}`, kind: 'client', attributes };
}

/** Runs the computation of a job and passes on its outcome. */
export type AroundJob = <Outcome extends JobOutcome>(
  job: LeasedJob,
  compute: () => Promise<Outcome>,
) => Promise<Outcome>;

interface JobOutcome {
  readonly kind: string;
  /** Reason why the computation failed; its first line is the summary. */
  readonly fault?: string;
}

/** Continues the trace of the request that opened the job: one span for the wait, one for the computation. */
export function traceJobs(tracing: Tracing): AroundJob {
  return (job, compute) => {
    const { traceParent: parent, waitedMs } = job;
    tracing.begin({ name: 'wait for a worker', kind: 'internal', parent, startedAgoMs: waitedMs }).end();
    const attributes = {
      'backsolve.account_id': job.accountId,
      'backsolve.objective_id': job.objectiveId,
      'backsolve.inverse_id': job.inverseId,
      'backsolve.job_id': job.id,
      'backsolve.job_attempt': job.attempt,
    };
    return tracing.inSpan({ name: 'compute suggestion', kind: 'consumer', parent, attributes }, async (span) => {
      const outcome = await compute();
      span.set({ 'backsolve.outcome': outcome.kind });
      if (outcome.fault !== undefined) span.fail(new Error(firstLine(outcome.fault)));
      return outcome;
    });
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}

export function traceEngine(engine: Engine, tracing: Tracing): Engine {
  const inSpan = <T>(task: string, run: () => Promise<T>) =>
    tracing.inSpan({ name: `engine ${task}`, kind: 'internal' }, run);
  return {
    ...engine,
    design: (request, signal) => inSpan('design', () => engine.design(request, signal)),
    designApart: (request, signal) => inSpan('design', () => engine.designApart(request, signal)),
    solutions: (request, signal) => inSpan('solutions', () => engine.solutions(request, signal)),
    front: (request, signal) => inSpan('front', () => engine.front(request, signal)),
    robustness: (task, signal) => inSpan('robustness', () => engine.robustness(task, signal)),
    fit: (task, signal) => inSpan('fit', () => engine.fit(task, signal)),
    identifiability: (task, signal) => inSpan('identifiability', () => engine.identifiability(task, signal)),
    predictions: (task, signal) => inSpan('predictions', () => engine.predictions(task, signal)),
    suggest: (request, signal) =>
      tracing.inSpan({ name: 'engine suggest', kind: 'internal' }, async (span) => {
        const answer = await engine.suggest(request, signal);
        span.set({ 'backsolve.known_cases': request.history.count });
        if (!answer.ok) span.fail(new Error(firstLine(answer.fault)));
        return answer;
      }),
  };
}
