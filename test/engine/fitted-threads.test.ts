import { describe, expect, it } from 'vitest';
import { FittedThreads } from '../../src/engine/fitted-threads.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';

const request = () => ({}) as SuggestRequest;
const idle = (id: number) => ({ id, currentUsage: 0 });
const busy = (id: number) => ({ id, currentUsage: 1 });

describe('the thread for a task', () => {
  it('The thread for a task is the idle thread that holds its models', () => {
    const fitted = new FittedThreads();
    const suggested = request();
    fitted.remember(2, suggested);
    expect(fitted.choose(suggested, [idle(1), idle(2), idle(3)])).toEqual(idle(2));
  });

  it('The thread for a task is preferably one without models that still await their explanation', () => {
    const fitted = new FittedThreads();
    fitted.remember(1, request());
    expect(fitted.choose(request(), [idle(1), idle(2)])).toEqual(idle(2));
    expect(fitted.choose(request(), [idle(1), busy(2)])).toEqual(idle(1));
  });

  it('The thread for a task is another idle thread when the one that holds its models is busy', () => {
    const fitted = new FittedThreads();
    const suggested = request();
    fitted.remember(1, suggested);
    expect(fitted.choose(suggested, [busy(1), idle(2)])).toEqual(idle(2));
  });

  it('The thread for a task does not exist while all threads are busy', () => {
    expect(new FittedThreads().choose(request(), [busy(1), busy(2)])).toBeNull();
  });

  it('The thread for a task may be one whose models have been used', () => {
    const fitted = new FittedThreads();
    const suggested = request();
    fitted.remember(1, suggested);
    fitted.choose(suggested, [idle(1), idle(2)]);
    expect(fitted.choose(request(), [idle(1), idle(2)])).toEqual(idle(1));
  });
});
