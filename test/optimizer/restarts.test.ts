import { describe, expect, it } from 'vitest';
import { atLeast, float, minimize } from '../../harness/optimizer-game.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { regionState, startsAtBest } from '../../src/optimizer/search/restarts.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const PACE = { start: 30, shrink: 4, length: 0.8 };
/** The state after these losses, all of suggested inputs, with rows of the history that are left out of the cases. */
function stateAfter(losses: readonly number[], failedRows: readonly number[] = []) {
  const count = losses.length + failedRows.length;
  const rows = Array.from({ length: count }, (_, row) => row).filter((row) => !failedRows.includes(row));
  return regionState({ loss: Float64Array.from(losses), rows, N: losses.length }, 0, PACE);
}

/** Losses that fall for 80 runs and then stay, until the first region is due. */
const STILL = Array.from({ length: 111 }, (_, i) => Math.max(1, 2 ** (8 - i / 10)));
const more = (count: number, loss: number) => [...STILL, ...new Array<number>(count).fill(loss)];

describe('the regions of a long search', () => {
  it('begin after a hundred suggestions, once thirty in a row have gained nothing', () => {
    expect(stateAfter(STILL.slice(0, 100))).toBeNull();
    expect(stateAfter(STILL.slice(0, -1))).toBeNull();
    expect(stateAfter(STILL)).toMatchObject({ number: 0, isNew: true, center: 80, length: 0.8 });
    expect(stateAfter(Array.from({ length: 150 }, (_, i) => 0.8 ** i))).toBeNull();
  });

  it('halve after runs that gain nothing, failed ones included', () => {
    expect(stateAfter(more(3, 5))?.length).toBe(0.8);
    expect(stateAfter(more(4, 5))?.length).toBe(0.4);
    expect(stateAfter(more(2, 5), [111, 112])?.length).toBe(0.4);
  });

  it('double after three gains in a row, and move to the best run', () => {
    const state = stateAfter([...more(4, 5), 0.9, 0.8, 0.7]);
    expect(state).toMatchObject({ number: 0, length: 0.8, center: 117 });
  });

  it('start again when they are used up: beside the best run, then at a random point', () => {
    const second = stateAfter(more(28, 5));
    expect(second).toMatchObject({ number: 1, isNew: true, length: 0.2 });
    const third = stateAfter([...more(28, 5), ...new Array<number>(21).fill(5)]);
    expect(third).toMatchObject({ number: 2, isNew: true, length: 0.8 });
    const center = 111 + 28 + 21;
    expect(stateAfter([...more(28, 5), ...new Array<number>(21).fill(5), 7])).toMatchObject({ isNew: false, center });
    expect([0, 1, 2, 3, 4].map(startsAtBest)).toEqual([true, true, false, true, false]);
  });
});

/** A search for the minimum of waves in a bowl, that has stood still for forty suggestions. */
function wavesAfter(count: number): SuggestRequest {
  const random = makeRandom(5);
  const wave = (x: number) => (x - 0.3) ** 2 + 10 - 10 * Math.cos(2 * Math.PI * (x - 0.3));
  const X = Float64Array.from({ length: 2 * count }, () => 10 * random.uniform() - 5);
  // The best run comes before the first suggestion, so nothing gains.
  X.set([1.31, 0.28]);
  const Y = Float64Array.from({ length: count }, (_, i) => wave(X[2 * i]!) + wave(X[2 * i + 1]!) + (i > 0 ? 1 : 0));
  return {
    space: { variables: [float(-5, 5), float(-5, 5)] },
    goal: { targets: [minimize(-1)], l1: null },
    history: { count, X, Y, failed: new Uint8Array(count) },
    firstSuggested: 1,
    convergence: 1e-6,
    seed: 1,
    workLimit: 1e4,
  };
}

/** The same with a limit that only the second run breaks, whose value is the least by far. */
function wavesWithinLimit(count: number): SuggestRequest {
  const request = wavesAfter(count);
  const { X, Y } = request.history;
  X.set([-4, 4], 2);
  const distanceOf = (i: number) => Math.hypot(X[2 * i]! + 4, X[2 * i + 1]! - 4);
  const pairs = Array.from(Y, (y, i) => (i === 1 ? [-19, 0] : [y, 1 + distanceOf(i)]));
  return {
    ...request,
    goal: { targets: [minimize(-20), atLeast(1)], l1: null },
    history: { ...request.history, Y: Float64Array.from(pairs.flat()) },
  };
}

describe('a long search', () => {
  it('looks around the best run within the limits, not around one that breaks them', () => {
    const proposal = suggest(wavesWithinLimit(102 + 8));
    if (proposal.kind !== 'candidate') throw new Error(proposal.reason);
    const [a, b] = proposal.input;
    // Two halvings leave 0.05 of half the range of 10.
    expect(Math.abs(a! - 1.31)).toBeLessThanOrEqual(0.25 + 1e-9);
    expect(Math.abs(b! - 0.28)).toBeLessThanOrEqual(0.25 + 1e-9);
  });

  it('looks within its region, and repeats to the last bit', () => {
    const count = 102 + 16;
    const request = wavesAfter(count);
    const proposal = suggest(request);
    expect(proposal).toEqual(suggest(request));
    if (proposal.kind !== 'candidate') throw new Error(proposal.reason);
    const [a, b] = proposal.input;
    // Four halvings leave 0.05 of half the range of 10.
    expect(Math.abs(a! - 1.31)).toBeLessThanOrEqual(0.25 + 1e-9);
    expect(Math.abs(b! - 0.28)).toBeLessThanOrEqual(0.25 + 1e-9);
  });

  it('does not give up on a surface with more waves than runs', () => {
    for (const count of [60, 80, 102]) expect(suggest(wavesAfter(count)).kind).toBe('candidate');
  });

  it('proposes other inputs while many are open', () => {
    const request = wavesAfter(130);
    const open: number[] = [];
    const seen = new Set<string>();
    for (let k = 0; k < 8; k++) {
      const proposal = suggest({ ...request, pending: Float64Array.from(open) });
      if (proposal.kind !== 'candidate') throw new Error(proposal.reason);
      open.push(...proposal.input);
      seen.add(proposal.input.join());
    }
    expect(seen.size).toBe(8);
  });
});
