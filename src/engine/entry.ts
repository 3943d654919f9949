/** Runs in a worker thread: one task in, one answer out. */
import { explain } from '../optimizer/explain.ts';
import { initialDesign } from '../optimizer/initial-design.ts';
import type { Explanation, Proposal } from '../optimizer/problem.ts';
import { suggest, warmUp } from '../optimizer/suggest.ts';
import type { DesignResult, EngineAnswer, EngineTask } from './protocol.ts';

// The first suggestion of a thread would otherwise pay for the JIT.
warmUp();

/** Never throws: a fault of the optimizer is an answer. */
export default function run(task: EngineTask): EngineAnswer<DesignResult | Proposal | Explanation> {
  const startedAt = process.hrtime.bigint();
  try {
    const result = compute(task);
    return { ok: true, result, elapsedNs: Number(process.hrtime.bigint() - startedAt) };
  } catch (error) {
    return { ok: false, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function compute(task: EngineTask): DesignResult | Proposal | Explanation {
  switch (task.kind) {
    case 'design':
      return initialDesign(task.request);
    case 'suggest':
      return suggest(task.request);
    case 'explain':
      return explain(task.request);
  }
}
