/** Searches for a front, and reports on it. */
import { describe, expect, it } from 'vitest';
import { atLeast, float } from '../../../harness/optimizer-game.ts';
import { findFront } from '../../../src/optimizer/find-front.ts';
import { distancesBehind, frontOf, openOutputs } from '../../../src/optimizer/goal/front.ts';
import type { SuggestRequest, Target } from '../../../src/optimizer/interface/problem.ts';
import { hypervolume } from '../../../src/optimizer/numerics/hypervolume.ts';
import { makeRandom } from '../../../src/optimizer/numerics/random.ts';
import { prepare } from '../../../src/optimizer/search/prepare.ts';
import { suggest } from '../../../src/optimizer/suggest.ts';
import { globalScope } from '../../../src/optimizer/surrogate/scope.ts';

const open = (direction: 'minimize' | 'maximize', reference?: number): Target => ({
  lower: -Infinity,
  upper: Infinity,
  lowerOpen: false,
  upperOpen: false,
  direction,
  ...(reference === undefined ? {} : { reference }),
});

/** Cost rises with both inputs, quality too but for b beyond 0.6; the sum must be at least 0.3. */
const evaluate = ([a, b]: readonly number[]) => [a! + b! * b!, a! + Math.sin(2.6 * b!), a! + b!];

const TARGETS = [open('minimize'), open('maximize'), atLeast(0.3)];

function requestOf(inputs: readonly (readonly number[])[], targets: readonly Target[] = TARGETS): SuggestRequest {
  return {
    space: { variables: [float(0, 1), float(0, 1)] },
    goal: { targets, l1: null },
    history: {
      count: inputs.length,
      X: Float64Array.from(inputs.flat()),
      Y: Float64Array.from(inputs.flatMap((x) => evaluate(x).slice(0, targets.length))),
      failed: new Uint8Array(inputs.length),
    },
    firstSuggested: 4,
    convergence: 1e-6,
    seed: 1,
    workLimit: 15_000,
  };
}

const DESIGN = [
  [0.5, 0.5],
  [0.8, 0.2],
  [0.2, 0.8],
  [0.05, 0.1],
];

function playFrom(
  design: readonly (readonly number[])[],
  runs: number,
  targets: readonly Target[] = TARGETS,
): number[][] {
  const inputs = design.map((x) => [...x]);
  while (inputs.length < runs) {
    const proposal = suggest(requestOf(inputs, targets));
    if (proposal.kind === 'nothing-new') throw new Error(proposal.reason);
    expect(proposal.chance).toBeNull();
    inputs.push(Array.from(proposal.input));
  }
  return inputs;
}

/** The volume below cost 2 and above quality 0 of the inputs within the limit. */
function volumeOf(inputs: readonly (readonly number[])[]): number {
  const within = inputs.map(evaluate).filter((y) => y[2]! >= 0.3);
  return hypervolume(
    within.map(([cost, quality]) => [cost!, -quality!]),
    [2, 0],
  );
}

describe('a search for a front', () => {
  const inputs = playFrom(DESIGN, 24);

  it('comes near to the whole front in a few runs', () => {
    const grid = Array.from({ length: 41 * 41 }, (_, i) => [(i % 41) / 40, Math.floor(i / 41) / 40]);
    expect(volumeOf(inputs) / volumeOf(grid)).toBeGreaterThan(0.97);
  });

  it('is the same bytes for the same request', () => {
    const request = requestOf(inputs);
    expect(suggest(structuredClone(request))).toEqual(suggest(request));
  });

  it('suggests different inputs while others are pending, and their imagined outputs count', () => {
    const first = suggest(requestOf(inputs));
    if (first.kind !== 'candidate') throw new Error(first.reason);
    const second = suggest({ ...requestOf(inputs), pending: first.input });
    if (second.kind !== 'candidate') throw new Error(second.reason);
    expect(Math.hypot(second.input[0]! - first.input[0]!, second.input[1]! - first.input[1]!)).toBeGreaterThan(0.01);
  });

  it('first meets the limits when no case does', () => {
    const found = playFrom(
      [
        [0.05, 0.1],
        [0.1, 0.05],
        [0, 0.2],
        [0.15, 0.1],
      ],
      8,
    );
    expect(found.some(([a, b]) => a! + b! >= 0.3)).toBe(true);
  });

  it('spends nothing on what lies beyond a stated reference', () => {
    const stated = [open('minimize', 0.6), open('maximize', 0.7), atLeast(0.3)];
    const late = playFrom(inputs.slice(0, 12), 18, stated).slice(12).map(evaluate);
    expect(late.filter(([cost, quality]) => cost! < 0.6 && quality! > 0.7).length).toBeGreaterThanOrEqual(4);
  });

  it('goes with aspirations of other outputs, which count as limits', () => {
    const mixed: Target[] = [open('minimize'), open('maximize'), { ...atLeast(0.9), direction: 'maximize' }];
    const late = playFrom(inputs.slice(0, 10), 16, mixed).slice(10);
    expect(late.filter(([a, b]) => a! + b! >= 0.9).length).toBeGreaterThanOrEqual(4);
  });

  it('answers for outputs that never varied and for failed runs', () => {
    const request = requestOf(inputs.slice(0, 5));
    const flat = { ...request.history, Y: request.history.Y.map((y, i) => (i % 3 < 2 ? 1 : y)) };
    expect(suggest({ ...request, history: flat }).kind).toBe('candidate');
    const failed = { ...request.history, failed: new Uint8Array(5).fill(1) };
    expect(suggest({ ...request, history: failed }).kind).toBe('candidate');
    expect(findFront({ ...request, history: failed })).toMatchObject({ rows: [], hypervolume: null, predicted: [] });
  });
});

describe('more cases than a fit takes', () => {
  it('are chosen around the front', () => {
    const random = makeRandom(5);
    const inputs = Array.from({ length: 250 }, () => [random.uniform(), random.uniform()]);
    const request = requestOf(inputs);
    const { cases, ...space } = prepare(request);
    const { rows } = globalScope(space, cases, request.goal);
    expect(rows.length).toBe(150);
    const front = frontOf(cases, openOutputs(request.goal));
    expect(front.rows.length).toBeGreaterThan(5);
    for (const row of [...front.rows, 249]) expect(rows).toContain(row);
    const behind = distancesBehind(cases, openOutputs(request.goal), front.points);
    const mean = (of: Iterable<number>) => [...of].reduce((sum, i, _, all) => sum + behind[i]! / all.length, 0);
    expect(mean(rows)).toBeLessThan(0.7 * mean(cases.rows));
    // The front that is known already is predicted as it is.
    const { predicted } = findFront({ ...request, workLimit: 3_000 });
    expect(predicted.length).toBeGreaterThan(0);
    for (const { input, output } of predicted) expect(output[0]).toBeCloseTo(evaluate(input)[0]!, 1);
  });
});

describe('the report on a front', () => {
  const inputs = playFrom(DESIGN, 14);
  const report = findFront(requestOf(inputs));

  it('holds the runs within the limits that none beats', () => {
    const outputs = inputs.map(evaluate);
    const beats = ([c, q]: readonly number[], [d, r]: readonly number[]) =>
      c! <= d! && q! >= r! && (c! < d! || q! > r!);
    const within = [...outputs.keys()].filter((i) => outputs[i]![2]! >= 0.3);
    expect(report.rows).toEqual(within.filter((i) => !within.some((k) => beats(outputs[k]!, outputs[i]!))));
    expect(report.outputs).toEqual([0, 1]);
  });

  it('measures it from the reference, in output units', () => {
    const points = report.rows.map((row) => evaluate(inputs[row]!));
    const [cost, quality] = report.reference!;
    expect(report.ideal).toEqual([Math.min(...points.map(([c]) => c!)), Math.max(...points.map(([, q]) => q!))]);
    expect(cost).toBeGreaterThan(Math.max(...points.map(([c]) => c!)));
    expect(quality).toBeLessThan(Math.min(...points.map(([, q]) => q!)));
    expect(report.hypervolume).toBeCloseTo(
      hypervolume(
        points.map(([c, q]) => [c!, -q!]),
        [cost!, -quality!],
      ),
      12,
    );
  });

  it('predicts points in between that come true on a smooth problem', () => {
    expect(report.predicted.length).toBeGreaterThan(5);
    expect(report.predicted.length).toBeLessThanOrEqual(20);
    for (const { input, output, spread } of report.predicted) {
      const truth = evaluate(input);
      for (const j of [0, 1, 2]) expect(Math.abs(truth[j]! - output[j]!)).toBeLessThan(0.1);
      expect(spread.every((one) => one >= 0 && one < 1)).toBe(true);
    }
  });

  it('says how the hypervolume grew with each run', () => {
    const reference = report.reference!;
    const below = (runs: readonly (readonly number[])[]) => {
      const points = runs.map(evaluate).filter((y) => y[2]! >= 0.3);
      return hypervolume(
        points.map(([c, q]) => [c!, -q!]),
        [reference[0]!, -reference[1]!],
      );
    };
    expect(report.hypervolumes).toHaveLength(inputs.length);
    for (const [row, volume] of report.hypervolumes.entries())
      expect(volume).toBeCloseTo(below(inputs.slice(0, row + 1)), 12);
    expect(report.hypervolumes.at(-1)).toBeCloseTo(report.hypervolume!, 12);
  });

  it('is the same for the same request', () => {
    expect(findFront(structuredClone(requestOf(inputs)))).toEqual(report);
  });
});
