import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost, float, minimize } from '../../harness/optimizer-game.ts';
import type { SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { type Quadratic, quadraticAt, trustStep } from '../../src/optimizer/linalg/trust-step.ts';
import { questOf } from '../../src/optimizer/quests/quest-of.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { constantModel, lagrangeOf, updated, weightsAt } from '../../src/optimizer/search/quadratic-model.ts';
import { quadraticSize, TrustRegion } from '../../src/optimizer/search/trust-region.ts';
import { trustRegionPoint } from '../../src/optimizer/search/trust-region-turn.ts';

const entry = fc.integer({ min: -12, max: 12 }).map((one) => one / 4);
const vector = (n: number) => fc.array(entry, { minLength: n, maxLength: n }).map((list) => Float64Array.from(list));

/** A quadratic in one to five variables, of any curvature. */
const quadratic = fc.integer({ min: 1, max: 5 }).chain((n) =>
  fc.tuple(vector(n), vector(n * n)).map(([g, B]): Quadratic => {
    const H = B.map((one, k) => one + B[(k % n) * n + Math.floor(k / n)]!);
    return { value: 1, g, H };
  }),
);

describe('the step of a trust region', () => {
  it('The step stays within the ball and the bounds, and no random step within them is much better without bounds in the way', () => {
    fc.assert(
      fc.property(quadratic, fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })), (one, stream) => {
        const n = one.g.length;
        const ball = {
          center: new Float64Array(n),
          radius: 0.7,
          lower: new Float64Array(n).fill(-1),
          upper: new Float64Array(n).fill(1),
        };
        const d = trustStep(one, ball);
        expect(Math.hypot(...d)).toBeLessThanOrEqual(0.7 * (1 + 1e-9));
        for (let k = 0; k < 20; k++) {
          const random = Float64Array.from({ length: n }, () => stream.next().value);
          const shrunk = random.map((by) => (by * 0.7) / Math.max(0.7, Math.hypot(...random)));
          expect(quadraticAt(one, d)).toBeLessThanOrEqual(quadraticAt(one, shrunk) + 1e-6);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('The step keeps to a bound at the centre and moves along it', () => {
    const one = { value: 0, g: Float64Array.of(1, 1), H: Float64Array.of(1, 0, 0, 1) };
    const ball = {
      center: Float64Array.of(-1, 0),
      radius: 0.5,
      lower: Float64Array.of(-1, -1),
      upper: Float64Array.of(1, 1),
    };
    expect(Array.from(trustStep(one, ball))).toEqual([0, expect.closeTo(-0.5, 9)]);
  });
});

const CENTER = Float64Array.of(0.1, -0.2);
const POINTS = [
  [0.1, -0.2],
  [0.3, -0.2],
  [0.1, 0.1],
  [-0.1, -0.3],
  [0.3, 0],
  [0, -0.4],
].map((list) => Float64Array.from(list));

describe('the quadratic model', () => {
  const bowl = ([a, b]: Float64Array) => 3 + a! - 2 * b! + 2 * a! * a! + a! * b! + 4 * b! * b!;

  it('The model is exact on a quadratic with as many points as it has coefficients', () => {
    const model = updated(constantModel(CENTER, 0), CENTER, 0.2, POINTS, POINTS.map(bowl));
    expect(Array.from(model.quadratic.H)).toEqual([4, 1, 1, 8].map((one) => expect.closeTo(one, 1)));
    expect(model.quadratic.value).toBeCloseTo(bowl(CENTER), 4);
  });

  it('The model keeps its Hessian when the points do not contradict it', () => {
    const before = updated(constantModel(CENTER, 0), CENTER, 0.2, POINTS, POINTS.map(bowl));
    const moved = Float64Array.of(0.3, 0);
    const few = [moved, Float64Array.of(0.35, 0.1), Float64Array.of(0.2, 0)];
    const model = updated(before, moved, 0.1, few, few.map(bowl));
    expect(Array.from(model.quadratic.H)).toEqual([4, 1, 1, 8].map((one) => expect.closeTo(one, 1)));
  });

  it('The Lagrange function of a point is near one there, near zero at the others, and its values are the weights', () => {
    const model = updated(constantModel(CENTER, 0), CENTER, 0.2, POINTS, POINTS.map(bowl));
    const lagrange = lagrangeOf(model, 2);
    POINTS.forEach((point, t) => {
      const value = quadraticAt(
        lagrange,
        point.map((one, f) => one - CENTER[f]!),
      );
      expect(value).toBeCloseTo(t === 2 ? 1 : 0, 2);
      expect(weightsAt(model, point)[2]).toBeCloseTo(value, 6);
    });
  });
});

const N = 4;
const LOWER = new Float64Array(N).fill(-1);
const UPPER = new Float64Array(N).fill(1);
/** A curved valley in four inputs, least at 0.4 each, where it is 0. */
const valley = (u: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i + 1 < N; i++) sum += 40 * (u[i + 1]! - 2.5 * u[i]! ** 2) ** 2 + (0.4 - u[i]!) ** 2;
  return sum;
};

/** Points of a lattice that fills the box, as many as a quadratic needs. */
const scattered = (count: number): Float64Array[] =>
  Array.from({ length: count }, (_, i) =>
    Float64Array.from([0.55, 0.71, 0.29, 0.87], (by) => (((i + 1) * by) % 1.8) - 0.9),
  );

describe('the region', () => {
  it('The region follows a curved valley to its end, and asks for points within the bounds only', () => {
    const points = scattered(quadraticSize(N));
    const y = points.map(valley);
    const numbers = { points, y, lower: LOWER, upper: UPPER, target: -1e-9 };
    const region = new TrustRegion(numbers, points.length);
    while (points.length < 150 && Math.min(...y) > 1e-3) {
      const next = region.ask()!;
      expect(next.every((one) => Math.abs(one) <= 1)).toBe(true);
      points.push(next);
      y.push(valley(next));
      expect(region.tell()).toBe(true);
    }
    expect(Math.min(...y)).toBeLessThan(1e-3);
  });

  it('The region ends in a dip above the target and goes on elsewhere', () => {
    const dips = (u: Float64Array) => u.reduce((sum, one) => sum + (one * one - 0.25) ** 2 + 0.05 * one, 0);
    const points = scattered(quadraticSize(N));
    const y = points.map(dips);
    const region = new TrustRegion({ points, y, lower: LOWER, upper: UPPER, target: -10 }, points.length);
    while (points.length < 150 && region.endCount === 0) {
      const next = region.ask();
      if (next === null || region.endCount > 0) break;
      points.push(next);
      y.push(dips(next));
      region.tell();
    }
    expect(region.endCount).toBe(1);
    const best = points[y.indexOf(Math.min(...y))]!;
    const next = region.ask()!;
    expect(Math.hypot(...next.map((one, f) => one - best[f]!))).toBeGreaterThan(0.2);
  });

  it('The region takes in a better point that another turn has found far away', () => {
    const points = scattered(quadraticSize(N));
    const y = points.map((point) => 2 + valley(point));
    const region = new TrustRegion({ points, y, lower: LOWER, upper: UPPER, target: 0 }, points.length);
    region.ask();
    const better = Float64Array.of(-0.95, 0.95, -0.95, 0.95);
    points.push(better);
    y.push(1);
    expect(region.tell()).toBe(false);
    expect(Math.hypot(...region.ask()!.map((one, f) => one - better[f]!))).toBeLessThan(0.5);
  });
});

/** A request after runs that stalled: the best comes first. */
function stalled(variables: readonly Variable[], targets: readonly Target[], extra: Partial<SuggestRequest> = {}) {
  const count = quadraticSize(N) + 6;
  const m = targets.length;
  const inputs = scattered(count).sort((a, b) => valley(a) - valley(b));
  return prepare({
    space: { variables },
    goal: { targets, l1: null },
    history: {
      count,
      X: Float64Array.from(inputs.flatMap((u) => Array.from(u.subarray(0, variables.length)))),
      Y: Float64Array.from(inputs.flatMap((u) => new Array<number>(m).fill(valley(u)))),
      failed: new Uint8Array(count),
    },
    firstSuggested: 5,
    convergence: 1e-6,
    seed: 1,
    workLimit: 1000,
    ...extra,
  });
}

const FLOATS = [float(-1, 1), float(-1, 1), float(-1, 1), float(-1, 1)];
const pointFor = (...given: Parameters<typeof stalled>) => {
  const prepared = stalled(...given);
  const quest = questOf(prepared.request);
  return trustRegionPoint({ ...prepared, seen: quest.seenIn(prepared), aim: quest.aim });
};

describe('the turn of the region', () => {
  it('A stalled search for one small number in four inputs takes a step of a region, whether it is minimized or limited', () => {
    expect(pointFor(FLOATS, [minimize(1e-3)])).not.toBeNull();
    expect(pointFor(FLOATS, [atMost(1e-3)])).toEqual(pointFor(FLOATS, [minimize(1e-3)]));
  });

  it.each([
    ['with two outputs', FLOATS, [atMost(1e-3), atMost(1)], {}],
    ['with three inputs', FLOATS.slice(1), [atMost(1e-3)], {}],
    [
      'with a whole number among its inputs',
      [...FLOATS.slice(1), { kind: 'integer', minimum: -1, maximum: 1 }],
      [atMost(1e-3)],
      {},
    ],
    ['while an input is pending', FLOATS, [atMost(1e-3)], { pending: Float64Array.of(0.5, 0.5, 0.5, 0.5) }],
    ['that has met its target', FLOATS, [atMost(1e6)], {}],
  ] as const)('A search %s takes none', (_, variables, targets, extra) => {
    expect(pointFor(variables as Variable[], targets, extra)).toBeNull();
  });
});
