/** Queues whose mean waits are skewed. */
import { describe, expect, it } from 'vitest';
import { judge } from '../../bench/problems/judge.ts';
import { toDefinition } from '../../bench/problems/problem.ts';
import { queues, tuningQueues } from '../../bench/problems/queues.ts';
import { checkNewObjective } from '../../src/domain/search/objective.ts';

describe.each([...tuningQueues, ...queues].map((queue) => [queue.name, queue] as const))('%s', (_, queue) => {
  it('states objectives the service takes, and its known point satisfies them on average', () => {
    expect(checkNewObjective(toDefinition(queue))).toEqual([]);
    expect(judge(queue, queue.average(queue.known))).toBe(true);
  });

  it('has waits of which most are below their mean', () => {
    const waits = Array.from({ length: 400 }, (_, index) => queue.evaluate(queue.known, { seed: 1, index })![0]!);
    const mean = waits.reduce((sum, wait) => sum + wait / waits.length, 0);
    expect(waits.filter((wait) => wait < mean).length).toBeGreaterThan(220);
  });
});
