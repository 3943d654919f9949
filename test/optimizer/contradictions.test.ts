/** Cases that all others contradict are left out of what a suggestion learns from; steep but true responses are not. */
import { describe, expect, it } from 'vitest';
import { float, within } from '../../harness/optimizer-game.ts';
import { explain } from '../../src/optimizer/explain.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const variables = [float(-1, 1), float(-1, 1)];
/** Designed cases of two inputs. */
const inputs = (count: number) => {
  const { X } = initialDesign({ space: { variables }, outputCount: null, caseCount: count, seed: 3 });
  return Array.from({ length: count }, (_, i) => [X[2 * i]!, X[2 * i + 1]!] as const);
};

function request(rows: readonly (readonly number[])[], outputs: readonly (readonly number[])[]): SuggestRequest {
  return {
    space: { variables },
    goal: { targets: outputs[0]!.map(() => within(2.5, 1e-3)), l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flat()),
      Y: Float64Array.from(outputs.flat()),
      failed: new Uint8Array(rows.length),
    },
    firstSuggested: rows.length,
    convergence: 1e-6,
    seed: 1,
    workLimit: 5_000,
  };
}

const smooth = ([a, b]: readonly number[]) => 3 + a! + 0.5 * b! + 0.3 * a! * b!;

/** Rows of the history that the suggestion learns from. */
const learntFrom = (asked: SuggestRequest) => prepare(asked).cases.rows;

describe('a contradicted case', () => {
  it('An output ten times too large is left out once the others are many, and the suggestion is that of the others', () => {
    const rows = inputs(14);
    const outputs = rows.map((x, i) => [i === 4 ? 10 * smooth(x) : smooth(x)]);
    const asked = request(rows, outputs);
    expect(learntFrom(asked)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    const proposal = suggest(asked);
    expect(proposal.kind === 'candidate' && Math.abs(smooth(Array.from(proposal.input)) - 2.5)).toBeLessThan(1e-3);
  });

  it.each([1e300, -1e300, 1e99])('An output of %d is left out among a few cases', (absurd) => {
    const rows = inputs(5);
    const outputs = rows.map((x, i) => [i === 1 ? absurd : smooth(x), smooth(x) - 1]);
    expect(learntFrom(request(rows, outputs))).toEqual([0, 2, 3, 4]);
  });

  it('The input of a case left out is not suggested again, and the insight is that of the others', () => {
    const rows = inputs(9);
    const wrong = request(
      rows,
      rows.map((x, i) => [i === 2 ? 1e300 : smooth(x)]),
    );
    const proposal = suggest(wrong);
    expect(proposal.kind === 'candidate' && Array.from(proposal.input)).not.toEqual(rows[2]);
    const others = rows.filter((_, i) => i !== 2);
    const clean = explain(
      request(
        others,
        others.map((x) => [smooth(x)]),
      ),
    );
    expect(explain(wrong).insight).toEqual(clean.insight);
  });

  it('A wrong output stays in the history while the others are too few to tell', () => {
    const rows = inputs(6);
    const outputs = rows.map((x, i) => [i === 4 ? 10 * smooth(x) : smooth(x)]);
    expect(learntFrom(request(rows, outputs))).toHaveLength(6);
  });
});

describe('cases at one input that disagree', () => {
  const right = inputs(9);
  const at = [0.3, -0.2] as const;
  const asideOf = (rows: readonly (readonly number[])[], outputs: readonly (readonly number[])[]) =>
    prepare(request(rows, outputs)).examined.setAside.map(({ row, repeats }) => ({ row, repeats }));
  const outputsOf = (...last: number[]) => [...right.map(smooth), ...last].map((y) => [y]);

  it('Of two the one that the others support stays, in whatever order they are known', () => {
    const truth = smooth(at);
    expect(asideOf([...right, at, at], outputsOf(truth, 1.05 * truth))).toEqual([{ row: 10, repeats: [9] }]);
    expect(asideOf([...right, at, at], outputsOf(1.05 * truth, truth))).toEqual([{ row: 9, repeats: [10] }]);
  });

  it('Two that the others both contradict are both set aside', () => {
    expect(asideOf([...right, at, at], outputsOf(70, -40)).map(({ row }) => row)).toEqual([9, 10]);
  });

  const adviceOn = (rows: readonly (readonly number[])[], outputs: readonly (readonly number[])[]) =>
    explain(request(rows, outputs)).advice?.map(({ kind, rows }) => ({ kind, rows }));

  it('The only repeat of all may be a mistake or noise, and the advice names its rows once', () => {
    const truth = smooth(at);
    const rows = [...right, at, at];
    expect(adviceOn(rows, outputsOf(truth, 1.05 * truth))).toEqual([{ kind: 'repeats-unclear', rows: [10, 9] }]);
    expect(adviceOn(rows, outputsOf(70, -40))).toEqual([{ kind: 'repeats-unclear', rows: [9, 10] }]);
  });

  it('Another repeat that agrees excludes noise, unless it is the initial point, which copies a case', () => {
    const truth = smooth(at);
    const rows = [...right, right[0]!, at, at];
    const outputs = outputsOf(smooth(right[0]!), truth, 1.05 * truth);
    const asked = request(rows, outputs);
    const kindOf = (firstSuggested: number) => explain({ ...asked, firstSuggested }).advice?.map(({ kind }) => kind);
    expect(kindOf(9)).toEqual(['repeats-disagree']);
    expect(kindOf(10)).toEqual(['repeats-unclear']);
  });

  it('Small differences between most repeats are noise, and all cases stay', () => {
    const rows = [...right, right[0]!, right[1]!, right[2]!];
    const outputs = outputsOf(...[0, 1, 2].map((i) => smooth(right[i]!) + 0.02 * (i - 3)));
    const { setAside, noisyRepeats } = prepare(request(rows, outputs)).examined;
    expect({ setAside, noisyRepeats }).toEqual({
      setAside: [],
      noisyRepeats: [
        [0, 9],
        [1, 10],
        [2, 11],
      ],
    });
  });

  it('Differences by rounding contradict nothing', () => {
    const outputs = outputsOf(smooth(at), smooth(at) * (1 + 1e-12));
    expect(prepare(request([...right, at, at], outputs)).examined.setAside).toEqual([]);
  });
});

describe('several wrong rows', () => {
  const mistakes: Record<string, (y: readonly number[]) => number[]> = {
    'scaled by ten': (y) => y.map((one) => 10 * one),
    'with the other sign': (y) => y.map((one) => -one),
    swapped: ([a, b]) => [b!, a!],
    'of placeholders': (y) => y.map(() => -999),
    'of 1e300': (y) => y.map(() => 1e300),
  };
  it.each(Object.keys(mistakes))('Three of thirty %s are set aside, and no other', (kind) => {
    const rows = inputs(30);
    const wrong = [2, 13, 27];
    const outputs = rows.map((x, i) => {
      const y = [smooth(x), 1.5 - 0.4 * x[0]! + 0.2 * x[1]! ** 2];
      return wrong.includes(i) ? mistakes[kind]!(y) : y;
    });
    expect(prepare(request(rows, outputs)).examined.setAside.map(({ row }) => row)).toEqual(wrong);
  });

  it('The case nearest to the goal stays until another one close by contradicts it', () => {
    const rows = inputs(20);
    const outputs = rows.map((x, i) => [i === 0 ? 60 : smooth(x)]);
    const asked = { ...request(rows, outputs), goal: { targets: [within(60, 1)], l1: null } };
    expect(learntFrom(asked)).toHaveLength(20);
    const [a, b] = rows[0]!;
    const beside = [...rows, [a + 0.03, b + 0.02]];
    const known = request(beside, [...outputs, [smooth(beside[20]!)]]);
    expect(learntFrom({ ...known, goal: asked.goal })).not.toContain(0);
  });
});

describe('a steep but true response', () => {
  const steep: Record<string, (x: readonly number[]) => number> = {
    pole: ([a, b]) => 1 / (1.02 + a!) ** 2 + b!,
    exponential: ([a, b]) => Math.exp(6 * a! + 3 * b!),
    'growth below zero': ([a, b]) => -Math.exp(5 * a!) + b!,
    step: ([a, b]) => (a! > 0.3 ? 50 : 0) + b!,
    'tenth power': ([a, b]) => (2 * a!) ** 10 + b!,
  };
  it('The values of an output that is zero elsewhere, but for rounding, contradict nothing', () => {
    const rows = inputs(30);
    const overshoot = (x: readonly number[], i: number) => (i % 9 === 4 ? 1 : 1e-9) * smooth(x);
    const outputs = rows.map((x, i) => [smooth(x), overshoot(x, i)]);
    expect(learntFrom(request(rows, outputs))).toHaveLength(30);
  });

  it('The values of an output that many runs cut off, as at a time limit, contradict nothing', () => {
    const rows = inputs(30);
    const settling = ([a, b]: readonly number[]) => Math.min(10, 1 + 40 * (a! * a! + b! * b!));
    const outputs = rows.map((x) => [smooth(x), settling(x)]);
    expect(outputs.filter(([, time]) => time === 10).length).toBeGreaterThan(10);
    expect(learntFrom(request(rows, outputs))).toHaveLength(30);
  });

  it.each(Object.keys(steep))('A %s keeps all cases, however many', (kind) => {
    for (const count of [5, 8, 12, 16, 25]) {
      const rows = inputs(count).map(([a, b]) => [2.5 * a, 2.5 * b].map((x) => Math.max(-1, Math.min(1, x))));
      const asked = request(
        rows,
        rows.map((x) => [steep[kind]!(x)]),
      );
      expect(learntFrom(asked)).toHaveLength(count);
    }
  });
});

describe('an absurd value', () => {
  it('among several different ones of a run is an event, not a slip: the run tells as much as a failed one', () => {
    const rows = inputs(10);
    const outputs = rows.map((x, i) => (i === 3 ? [1e60, -1e80] : [smooth(x), smooth(x) - 1]));
    const asked = request(rows, outputs);
    const failed = request(rows, outputs);
    failed.history.failed[3] = 1;
    expect(learntFrom(asked)).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9]);
    expect(suggest(asked)).toEqual(suggest(failed));
  });

  it.each([2, 3, 4])('is left out with its run beside fewer cases than such runs, here %d', (count) => {
    const rows = inputs(count + 2);
    const outputs = rows.map((x, i) => (i < count ? [1e300, 1e300] : [smooth(x), smooth(x) - 1]));
    expect(learntFrom(request(rows, outputs))).toEqual([count, count + 1]);
  });

  it.each([
    ['none', []],
    ['two runs of 1e300', [[1e300], [1e300]]],
    ['four runs of 1e300', [[1e300], [1e300], [1e300], [1e300]]],
    [
      'two runs that went to both sides',
      [
        [1e300, -1e300],
        [-1e300, 1e300],
      ],
    ],
    [
      'two runs of several absurd values',
      [
        [1e300, 2e299],
        [1e40, 1e250],
      ],
    ],
    [
      'two runs that overflowed',
      [
        [1.7e308, 1e308],
        [-1.7e308, 1.7e308],
      ],
    ],
  ])('that is known to a trial costs a search few suggestions: %s', (_, absurd) => {
    for (const seed of [1, 2, 3]) {
      const rows: number[][] = absurd.map((_, k) => [0.3 - 0.7 * k, 0.2 * k - 0.1 * seed]);
      const outputs = absurd.map((values) => [values[0]!, values[1] ?? values[0]!]);
      const { X, count } = initialDesign({ space: { variables }, outputCount: 2, caseCount: null, seed });
      const run = (x: readonly number[]) => {
        rows.push([...x]);
        outputs.push([10 * (x[1]! - x[0]! ** 2) + 1, smooth(x)]);
      };
      for (let i = 0; i < count; i++) run(Array.from(X.subarray(2 * i, 2 * i + 2)));
      const targets = [within(10 * (0.1 - 0.16) + 1, 0.01), within(smooth([-0.4, 0.1]), 0.01)];
      const isMet = () =>
        targets.every(({ lower, upper }, j) => outputs.at(-1)![j]! >= lower && outputs.at(-1)![j]! <= upper);
      let suggestions = 0;
      for (; suggestions < 9 && !isMet(); suggestions++) {
        const asked = { ...request(rows, outputs), goal: { targets, l1: null }, seed };
        const proposal = suggest({ ...asked, firstSuggested: absurd.length + count });
        if (proposal.kind === 'nothing-new') break;
        run(Array.from(proposal.input));
      }
      expect(isMet(), `seed ${seed}`).toBe(true);
      expect(suggestions, `seed ${seed}`).toBeLessThanOrEqual(8);
    }
  });
});
