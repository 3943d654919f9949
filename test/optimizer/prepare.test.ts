import { describe, expect, it } from 'vitest';
import { float, play, within } from '../../harness/optimizer-game.ts';
import { explain, explainFrom } from '../../src/optimizer/explain.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { suggest, suggestFrom } from '../../src/optimizer/suggest.ts';

const { request } = play(
  {
    variables: [float(0, 1), float(0, 1)],
    goal: { targets: [within(1, 0.01), within(2, 0.01)], l1: null },
    evaluate: ([a, b]) => [a! + b! * b!, a! + b!],
  },
  9,
);

describe('a prepared request', () => {
  it('A prepared request is fitted once, and the work of the fit counts at every call', () => {
    const prepared = prepare(request);
    const first = { spent: 0, limit: 1000 };
    const second = { spent: 0, limit: 1000 };
    const surrogate = prepared.fitGlobally(first);
    expect(prepared.fitGlobally(second)).toBe(surrogate);
    expect(first.spent).toBeGreaterThan(0);
    expect(second).toEqual(first);
  });

  it('A prepared request does not keep a fit that other work has cut short', () => {
    const prepared = prepare(request);
    const late = prepared.fitGlobally({ spent: 999, limit: 1000 });
    expect(prepared.fitGlobally({ spent: 0, limit: 1000 })).not.toBe(late);
  });

  it('A prepared request gives the suggestion and the explanation that separate requests give', () => {
    for (const one of [request, { ...request, workLimit: 0.1 }]) {
      const prepared = prepare(one);
      expect(suggestFrom(prepared)).toEqual(suggest(one));
      expect(explainFrom(prepared)).toEqual(explain(one));
    }
  });
});
