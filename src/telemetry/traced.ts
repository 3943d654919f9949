/** What is traced besides requests and jobs: SQL statements and computations, as children of whatever is under way. */
import type { AroundStatement } from '../db/client.ts';
import type { Engine } from '../engine/pool.ts';
import { activeSpan } from './trace-context.ts';
import type { Tracing } from './tracing.ts';

/** The text with its placeholders; values never leave the process. */
const TEXT_LIMIT = 1_000;

/** Statements outside of any span, such as polls, are not traced: they would be traces of one span each. */
export function traceStatements(tracing: Tracing): AroundStatement {
  return (text, run) => {
    if (activeSpan() === undefined) return run();
    const operation = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, TEXT_LIMIT),
    };
    return tracing.inSpan({ name: `sql ${operation}`, kind: 'client', attributes }, run);
  };
}

export function traceEngine(engine: Engine, tracing: Tracing): Engine {
  return {
    ...engine,
    design: (request) => tracing.inSpan({ name: 'engine design', kind: 'internal' }, () => engine.design(request)),
    suggest: (request, signal) =>
      tracing.inSpan({ name: 'engine suggest', kind: 'internal' }, async (span) => {
        const answer = await engine.suggest(request, signal);
        span.set({ 'backsolve.known_cases': request.history.count });
        if (!answer.ok) span.fail(new Error(answer.fault.split('\n', 1)[0]));
        return answer;
      }),
  };
}
