/** Tests the answer of a search, by the kind of the search. */
import { describe, expect, it } from 'vitest';
import { answerOf, currentStanding, nameOfRun } from '../../../src/domain/search/answer.ts';
import { shownRunOf } from '../../../src/domain/search/end-reason.ts';
import { makeMissMeasure, type NearestRun } from '../../../src/domain/search/nearest.ts';
import { NO_TARGET } from '../../../src/domain/search/objective.ts';
import { StopReason } from '../../../src/domain/search/stop-reason.ts';

const limits = {
  id: 7,
  number: 2,
  stopReason: StopReason.running,
  dataRevision: 3,
  objectives: [10, 5],
  objectiveTypes: ['lessthan_equal', 'lessthan_equal'] as ('lessthan_equal' | 'minimize')[],
  minimumBounds: [],
  maximumBounds: [],
  desiredL1Norm: 0,
  convergence: 1e-6,
  options: null as never,
};
type Asked = typeof limits;

const nearest = (objective: Asked, source: NearestRun['source'], input: number[], output: number[]): NearestRun => {
  const measure = makeMissMeasure(objective);
  return { source, input, output, misses: measure.missesOf(output), missedBy: measure.missedByOf(output) };
};
const inverse = (iteration: number, input: number[], output: number[]) => ({
  id: 100 + iteration,
  iteration,
  input,
  output,
});
const run = (iteration: number) => ({ kind: 'inverse', id: 100 + iteration, iteration }) as const;

describe('where one run is judged', () => {
  it('is the optimal run once there is one, though another that was completed late meets everything too', () => {
    const known = { nearest: nearest(limits, run(3), [3], [9, 4]), optimal: inverse(5, [5], [8, 4]), standing: null };
    expect(answerOf(limits, known)).toMatchObject({
      kind: 'met',
      source: { iteration: 5, objectiveId: 7 },
      input: [5],
      runs: 1,
    });
  });

  it('is named after the case that the initial point copies', () => {
    const known = {
      nearest: nearest(limits, { kind: 'case', number: 1 }, [3], [9, 4]),
      optimal: inverse(1, [3], [9, 4]),
      standing: null,
    };
    expect(nameOfRun(answerOf(limits, known)!.source)).toBe('case 2');
  });

  it('is the nearest run while none is optimal, and null without a run', () => {
    const known = { nearest: nearest(limits, run(3), [3], [11, 4]), optimal: null, standing: null };
    expect(answerOf(limits, known)).toMatchObject({ kind: 'nearest', input: [3], misses: [10, 0] });
    expect(answerOf(limits, { nearest: null, optimal: null, standing: null })).toBeNull();
  });

  it('is the least value of all runs and cases where an output is minimized', () => {
    const cheapest: Asked = {
      ...limits,
      objectives: [NO_TARGET.minimize, 5],
      objectiveTypes: ['minimize', 'lessthan_equal'],
    };
    const known = {
      nearest: nearest(cheapest, { kind: 'case', number: 4 }, [4], [6, 4]),
      optimal: inverse(2, [2], [7, 4]),
      standing: null,
    };
    expect(answerOf(cheapest, known)).toMatchObject({ kind: 'best-value', input: [4] });
    const broken = { ...known, nearest: nearest(cheapest, run(9), [9], [1, 6]) };
    expect(answerOf(cheapest, broken)).toMatchObject({ kind: 'best-value', input: [2] });
  });

  it('is the knee of a front, not the earliest run that keeps the limits', () => {
    const front: Asked = {
      ...limits,
      objectives: [NO_TARGET.minimize, NO_TARGET.minimize],
      objectiveTypes: ['minimize', 'minimize'],
    };
    const known = { nearest: nearest(front, run(1), [1], [9, 9]), optimal: inverse(6, [6], [3, 3]), standing: null };
    expect(answerOf(front, known)).toMatchObject({ kind: 'knee', input: [6], output: [3, 3] });
  });
});

describe('where the runs at an input are judged together', () => {
  const asked: Asked = { ...limits, options: { confidence: 0.9 } as never };
  const probability = { value: 0.8, low: 0.7, high: 0.9 };
  const standing = {
    input: [4],
    output: [9.5, 4.5],
    meanOf: 3,
    from: { iteration: 4 },
    inverseId: 104,
    revision: 3,
    runs: 4,
    run: probability,
    mean: probability,
  };
  const lucky = { nearest: nearest(asked, run(2), [2], [5, 1]), optimal: inverse(2, [2], [5, 1]) };

  it('is the input that was declared, with the mean of its runs', () => {
    const ended = { ...asked, stopReason: StopReason.satisfied };
    const known = { ...lucky, optimal: inverse(12, [4], [9.5, 4.5]), standing };
    const answer = answerOf(ended, known);
    expect(answer).toMatchObject({
      kind: 'declared',
      source: { iteration: 4, id: 104 },
      input: [4],
      output: [9.5, 4.5],
      runs: 3,
    });
    expect(shownRunOf(answer)).toEqual({ name: 'the input of run 4', output: [9.5, 4.5], worstMiss: 0 });
  });

  it('is no lucky run before an input is declared', () => {
    const answer = answerOf(asked, { ...lucky, standing });
    expect(answer).toMatchObject({ kind: 'likeliest', input: [4], output: [9.5, 4.5], runs: 3 });
    expect(shownRunOf(answer)).toMatchObject({ name: 'the input of run 4', undeclaredRuns: 3 });
  });

  it('is what an earlier release declared, whose runs it did not count', () => {
    const { output: _, meanOf: __, from: ___, revision: ____, ...earlier } = standing;
    const ended = { ...asked, stopReason: StopReason.satisfied };
    const known = { ...lucky, optimal: inverse(12, [4], [9.5, 4.5]), standing: earlier };
    expect(answerOf(ended, known)).toMatchObject({ kind: 'declared', input: [4], runs: null });
  });

  it('waits for the next suggestion after a change of the data', () => {
    const changed = { ...asked, dataRevision: 4 };
    expect(currentStanding(changed, standing)).toBeNull();
    expect(answerOf(changed, { ...lucky, standing })).toMatchObject({ kind: 'nearest', input: [2] });
    expect(currentStanding({ ...changed, stopReason: StopReason.satisfied }, standing)).toBe(standing);
  });
});
