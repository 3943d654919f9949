import { describe, expect, it } from 'vitest';
import { FittedThreads } from '../../src/engine/fitted-threads.ts';
import type { SuggestRequest } from '../../src/optimizer/problem.ts';

const request = () => ({}) as SuggestRequest;
const idle = (id: number) => ({ id, currentUsage: 0 });
const busy = (id: number) => ({ id, currentUsage: 1 });

describe('the thread for a task', () => {
  it('is the one that holds its models', () => {
    const fitted = new FittedThreads();
    const suggested = request();
    fitted.remember(2, suggested);
    expect(fitted.choose(suggested, [idle(1), idle(2), idle(3)])).toEqual(idle(2));
  });

  it('is, for another request, one whose models nobody waits for', () => {
    const fitted = new FittedThreads();
    fitted.remember(1, request());
    expect(fitted.choose(request(), [idle(1), idle(2)])).toEqual(idle(2));
    expect(fitted.choose(request(), [idle(1), busy(2)])).toEqual(idle(1));
  });

  it('is any idle one rather than a busy one that holds its models', () => {
    const fitted = new FittedThreads();
    const suggested = request();
    fitted.remember(1, suggested);
    expect(fitted.choose(suggested, [busy(1), idle(2)])).toEqual(idle(2));
  });

  it('is none when all are busy', () => {
    expect(new FittedThreads().choose(request(), [busy(1), busy(2)])).toBeNull();
  });

  it('is free again once its models were used', () => {
    const fitted = new FittedThreads();
    const suggested = request();
    fitted.remember(1, suggested);
    fitted.choose(suggested, [idle(1), idle(2)]);
    expect(fitted.choose(request(), [idle(1), idle(2)])).toEqual(idle(1));
  });
});
