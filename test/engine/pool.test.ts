import type { Worker } from 'node:worker_threads';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { within } from '../../harness/optimizer-game.ts';
import { type Engine, startEngine } from '../../src/engine/pool.ts';
import { explain } from '../../src/optimizer/explain.ts';
import type { Condition, DesignRequest, Expression, SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const engine: Engine = startEngine({ threads: 1, timeLimitMs: 60_000, keepWarm: false, onError: () => undefined });
afterAll(() => engine.close());

/** Twelve cases of y = slope x1 + x2^2. */
function requestOf(slope: number): SuggestRequest {
  const X = Float64Array.from({ length: 24 }, (_, k) => ((k * 7) % 24) / 24);
  const Y = Float64Array.from({ length: 12 }, (_, i) => slope * X[2 * i]! + X[2 * i + 1]! ** 2);
  return {
    space: { variables: [0, 1].map(() => ({ kind: 'float', minimum: 0, maximum: 1 })) },
    goal: { targets: [within(20, 0.1)], l1: null },
    history: { count: 12, X, Y, failed: new Uint8Array(12) },
    firstSuggested: 4,
    convergence: 1e-6,
    seed: 1,
    workLimit: 5000,
  };
}

const { signal } = new AbortController();

it('the engine gives the suggestion and the explanation of the optimizer, together or separately', async () => {
  const request = requestOf(1);
  expect(await engine.suggest(request, signal)).toMatchObject({ ok: true, result: suggest(request) });
  expect(await engine.explain(request, signal)).toMatchObject({ ok: true, result: explain(request) });
  expect(await engine.explain(request, signal)).toMatchObject({ ok: true, result: explain(request) });
});

/** Takes far longer than any test. */
function endlessDesign(): DesignRequest {
  const x: Expression[] = Array.from({ length: 100 }, (_, input) => ({ kind: 'input', input }));
  const sum = x.reduce((left, one) => ({ kind: 'operation', operator: '+', of: [left, one] }));
  const sine: Expression = { kind: 'call', name: 'sin', of: [sum] };
  const condition: Condition = { left: sine, relation: '>=', right: { kind: 'number', value: 0.2 } };
  const variables = x.map(() => ({ kind: 'float' as const, minimum: 0, maximum: 10 }));
  const conditions = new Array<Condition>(200).fill(condition);
  return { space: { variables, conditions }, outputCount: null, caseCount: null, seed: 1 };
}

it('the time limit of a task begins when a thread takes it, not when it enters the line', async () => {
  const hasty = startEngine({ threads: 1, timeLimitMs: 1_500, keepWarm: false, onError: () => undefined });
  onTestFinished(() => hasty.close());
  const endless = hasty.designApart(endlessDesign(), signal);
  const { space } = requestOf(1);
  const short = hasty.designApart({ space, outputCount: null, caseCount: 1, seed: 1 }, signal);
  await expect(endless).rejects.toThrow(/abort/);
  expect(await short).toMatchObject({ ok: true, result: { count: 1 } });
});

it('every thread of the engine keeps little memory for new objects, however much the machine has', async () => {
  const limits: (number | undefined)[] = [];
  const note = (thread: Worker) => limits.push(thread.resourceLimits?.maxYoungGenerationSizeMb);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const fresh = startEngine({ threads: 2, timeLimitMs: 60_000, keepWarm: true, onError: () => undefined });
  onTestFinished(() => fresh.close());
  const { space } = requestOf(1);
  await fresh.designApart({ space, outputCount: null, caseCount: 1, seed: 1 }, signal);
  expect(limits).toEqual([48, 48, 48]);
});

it('the engine carries pending inputs to its threads', async () => {
  const request = { ...requestOf(1), pending: Float64Array.of(0.5, 0.5, 0.9, 0.1) };
  expect(await engine.suggest(request, signal)).toMatchObject({ ok: true, result: suggest(request) });
  expect(await engine.explain(request, signal)).toMatchObject({ ok: true, result: explain(requestOf(1)) });
});

it('the engine explains a suggestion from the models of its thread while the thread holds them', async () => {
  const [request, other] = [requestOf(2), requestOf(3)];
  const [explained, explainedOther] = [explain(request), explain(other)];
  await engine.suggest(request, signal);
  // A second fit would see this constant output instead.
  request.history.Y.fill(1);
  expect(await engine.explain(request, signal)).toMatchObject({ ok: true, result: explained });

  await engine.suggest(other, signal);
  await engine.suggest(request, signal);
  other.history.Y.fill(1);
  const explainedAnew = explain(other);
  expect(explainedAnew).not.toEqual(explainedOther);
  expect(await engine.explain(other, signal)).toMatchObject({ ok: true, result: explainedAnew });
});
