/** The module that a worker thread runs: one task in, one answer out. */
import { threadId } from 'node:worker_threads';
import { explainFrom } from '../optimizer/explain.ts';
import { findFront } from '../optimizer/find-front.ts';
import { findSolutions } from '../optimizer/find-solutions.ts';
import { fitInsight } from '../optimizer/fit-insight.ts';
import { identifiability } from '../optimizer/identifiability.ts';
import { initialDesign } from '../optimizer/initial-design.ts';
import { predictions } from '../optimizer/predictions.ts';
import { robustness } from '../optimizer/robustness.ts';
import { type Prepared, prepare } from '../optimizer/search/prepare.ts';
import { suggestFrom, warmUp } from '../optimizer/suggest.ts';
import { answerOf } from './answer.ts';
import type { EngineTask, Result, ThreadAnswer } from './protocol.ts';

// Otherwise the first suggestion of a thread would run before the JIT has compiled the hot loops.
warmUp();

/** The models of the suggestion computed last, kept until it is explained: a few megabytes with many cases. */
let kept: { readonly requestNumber: number; readonly prepared: Prepared } | null = null;

export default function run(task: EngineTask): ThreadAnswer {
  return answerOf(threadId, () => compute(task));
}

function compute(task: EngineTask): Result {
  if (task.kind === 'design') return initialDesign(task.request);
  if (task.kind === 'robustness') return robustness(task.request, task.input, task.tolerances);
  if (task.kind === 'identifiability') return identifiability(task.request, task.confidence);
  if (task.kind === 'fit') return fitInsight(task.request, task.confidence);
  if (task.kind === 'predictions') return predictions(task.request, task.question);
  if (task.kind === 'solutions') return findSolutions(task.request);
  if (task.kind === 'front') return findFront(task.request);
  const { kind, request, requestNumber } = task;
  const prepared = kept?.requestNumber === requestNumber ? kept.prepared : prepare(request);
  kept = kind === 'suggest' ? { requestNumber, prepared } : null;
  return kind === 'suggest' ? suggestFrom(prepared) : explainFrom(prepared);
}
