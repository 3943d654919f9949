/**
 * Measures what a cheaper source saves, or costs where it is useless: plays each system with the fine model alone, then with a coarse
 * source, and compares their costs in fine runs.
 *
 *   npx node bench/sources/play.ts [--systems beam,fin] [--versions mesh,bias,tilt,noisy,useless] [--costs 0.02,0.1,0.3] [--seeds 1,2]
 *     [--budget 60] [--quiet]
 */
import { parseArgs } from 'node:util';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { History, SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { SYSTEMS, type System } from './systems.ts';

const VERSIONS = ['mesh', 'bias', 'tilt', 'noisy', 'useless'] as const;
type Version = (typeof VERSIONS)[number];

/** Tolerance of each output, in its standard deviations over the box. */
const TOLERANCE = 0.002;

interface Posed {
  readonly variables: readonly Variable[];
  readonly targets: readonly Target[];
  readonly fine: (x: readonly number[]) => number[];
  readonly coarse: (x: readonly number[], run: number) => number[];
  /** Median over the outputs of the correlation of coarse and fine over the box. */
  readonly correlation: number;
}

function pose({ bounds, model }: System, version: Version, seed: number): Posed {
  const variables = bounds.map(([minimum, maximum]): Variable => ({ kind: 'float', minimum, maximum }));
  const random = makeRandom(seed, 77);
  const draw = (share: number) =>
    bounds.map(([low, high]) => low + (high - low) * (0.5 + share * (random.uniform() - 0.5)));
  const points = Array.from({ length: 200 }, () => draw(1));
  const fine = (x: readonly number[]) => model(x, 'fine');
  const Y = points.map(fine);
  const m = Y[0]!.length;
  const mean = Array.from({ length: m }, (_, j) => Y.reduce((sum, y) => sum + y[j]! / Y.length, 0));
  const sd = mean.map((one, j) => Math.sqrt(Y.reduce((sum, y) => sum + (y[j]! - one) ** 2 / Y.length, 0)));
  const truth = fine(draw(0.7));
  const targets = truth.map(
    (y, j): Target => ({
      lower: y - TOLERANCE * sd[j]!,
      upper: y + TOLERANCE * sd[j]!,
      lowerOpen: false,
      upperOpen: false,
      direction: 'none',
    }),
  );
  const shift = mean.map(() => 0.6 * (random.uniform() - 0.5));
  const factor = mean.map(() => 0.8 + 0.4 * random.uniform());
  const tilt = mean.map(() => bounds.map(() => 0.4 * (random.uniform() - 0.5)));
  const share = (x: readonly number[], v: number) => (x[v]! - bounds[v]![0]) / (bounds[v]![1] - bounds[v]![0]) - 0.5;
  const waves = mean.map(() => bounds.map(() => [1 + 2 * random.uniform(), 6 * random.uniform()] as const));
  const noise = makeRandom(seed, 78);
  const coarse = (x: readonly number[], run: number): number[] => {
    if (version === 'mesh') return model(x, 'coarse');
    const y = fine(x);
    if (version === 'useless')
      return y.map(
        (_, j) => mean[j]! + sd[j]! * waves[j]!.reduce((sum, [f, p], v) => sum + Math.sin(f * 3 * share(x, v) + p), 0),
      );
    const leaning = version === 'tilt' ? 1 : 0;
    const scatter = version === 'noisy' ? 0.03 : 0;
    return y.map(
      (value, j) =>
        mean[j]! +
        factor[j]! * (value - mean[j]!) +
        sd[j]! *
          (shift[j]! +
            leaning * tilt[j]!.reduce((sum, t, v) => sum + t * 2 * share(x, v), 0) +
            scatter * noise.normal()) +
        0 * run,
    );
  };
  const C = points.map((x) => coarse(x, 0));
  const correlations = mean.map((one, j) => {
    const other = C.reduce((sum, c) => sum + c[j]! / C.length, 0);
    const spread = Math.sqrt(C.reduce((sum, c) => sum + (c[j]! - other) ** 2 / C.length, 0));
    return Y.reduce((sum, y, i) => sum + ((y[j]! - one) * (C[i]![j]! - other)) / Y.length, 0) / sd[j]! / spread;
  });
  correlations.sort((a, b) => a - b);
  return { variables, targets, fine, coarse, correlation: correlations[correlations.length >> 1]! };
}

interface Rows {
  readonly X: number[];
  readonly Y: number[];
  count: number;
}

const historyOf = ({ X, Y, count }: Rows): History => ({
  count,
  X: Float64Array.from(X),
  Y: Float64Array.from(Y),
  failed: new Uint8Array(count),
});

interface Played {
  readonly solved: boolean;
  readonly fine: number;
  readonly coarse: number;
  readonly sequence: string;
  readonly seconds: number;
}

function play(posed: Posed, seed: number, budget: number, cost: number | null, trace = false): Played {
  const { variables, targets } = posed;
  const m = targets.length;
  const fine: Rows = { X: [], Y: [], count: 0 };
  const coarse: Rows = { X: [], Y: [], count: 0 };
  let sequence = '';
  const run = (x: ArrayLike<number>, isCoarse: boolean): boolean => {
    const input = Array.from(x);
    const y = isCoarse ? posed.coarse(input, coarse.count) : posed.fine(input);
    const rows = isCoarse ? coarse : fine;
    rows.X.push(...input);
    rows.Y.push(...y);
    rows.count++;
    sequence += isCoarse ? 'c' : 'F';
    if (trace && !isCoarse) {
      const miss = Math.max(
        ...targets.map(({ lower, upper }, j) => Math.abs(y[j]! - (lower + upper) / 2) / ((upper - lower) / 2)),
      );
      process.stdout.write(`   ${sequence.length} ${miss.toPrecision(3)}\n`);
    }
    return !isCoarse && targets.every(({ lower, upper }, j) => y[j]! >= lower && y[j]! <= upper);
  };
  const started = process.cpuUsage().user;
  const finish = (solved: boolean): Played => ({
    solved,
    fine: fine.count,
    coarse: coarse.count,
    sequence,
    seconds: (process.cpuUsage().user - started) / 1e6,
  });
  const space = { variables };
  {
    const design = initialDesign({ space, outputCount: m, caseCount: cost === null ? null : 1, seed });
    const n = variables.length;
    for (let i = 0; i < design.count; i++) if (run(design.X.subarray(i * n, (i + 1) * n), false)) return finish(true);
  }
  const first = fine.count;
  while (fine.count + (cost ?? 0) * coarse.count < budget) {
    const request: SuggestRequest = {
      space,
      goal: { targets, l1: null },
      history: historyOf(fine),
      firstSuggested: first,
      convergence: 1e-6,
      seed,
      workLimit: 15_000,
      ...(cost !== null && { coarse: [{ cost, history: historyOf(coarse) }] }),
    };
    const proposal = suggest(request);
    if (proposal.kind === 'nothing-new') break;
    if (run(proposal.input, proposal.source !== undefined)) return finish(true);
  }
  return finish(false);
}

const { values } = parseArgs({
  options: {
    systems: { type: 'string' },
    versions: { type: 'string', default: VERSIONS.join() },
    costs: { type: 'string', default: '0.02,0.1,0.3' },
    seeds: { type: 'string', default: '1,2,3,4,5,6,7,8' },
    budget: { type: 'string', default: '60' },
    quiet: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});
const names = values.systems?.split(',');
const seeds = values.seeds.split(',').map(Number);
const budget = Number(values.budget);
const price = ({ solved, fine, coarse }: Played, cost: number) => (solved ? fine + cost * coarse : 2 * budget);
const geometric = (list: readonly number[]) =>
  Math.exp(list.reduce((sum, one) => sum + Math.log(one), 0) / list.length);
const all = new Map<string, number[]>();
for (const system of SYSTEMS) {
  if (names && !names.includes(system.name)) continue;
  const alone = seeds.map((seed) => play(pose(system, 'mesh', seed), seed, budget, null, values.trace));
  for (const version of values.versions.split(',') as Version[]) {
    for (const cost of values.costs.split(',').map(Number)) {
      const posed = seeds.map((seed) => pose(system, version, seed));
      const played = seeds.map((seed, k) => play(posed[k]!, seed, budget, cost, values.trace));
      const ratios = played.map((one, k) => price(one, cost) / price(alone[k]!, 0));
      const key = `${version} ${cost}`;
      all.set(key, [...(all.get(key) ?? []), ...ratios]);
      const mean = (list: readonly number[]) => Math.round((10 * list.reduce((a, b) => a + b, 0)) / list.length) / 10;
      const line = {
        system: system.name,
        version,
        correlation: Math.round(100 * geometric(posed.map(({ correlation }) => Math.max(0.01, correlation)))) / 100,
        cost,
        alone: mean(alone.map((one) => price(one, 0))),
        total: mean(played.map((one) => price(one, cost))),
        fine: mean(played.map(({ fine }) => fine)),
        coarse: mean(played.map(({ coarse }) => coarse)),
        solved: `${played.filter(({ solved }) => solved).length}/${alone.filter(({ solved }) => solved).length}`,
        ratio: Math.round(100 * geometric(ratios)) / 100,
        seconds: mean(played.map(({ seconds }) => seconds)),
      };
      if (!values.quiet) process.stdout.write(`${JSON.stringify(line)}\n`);
      if (values.trace) for (const { sequence } of played) process.stdout.write(`   ${sequence}\n`);
    }
  }
}
for (const [key, ratios] of all)
  process.stdout.write(
    `${JSON.stringify({ all: key, ratio: Math.round(100 * geometric(ratios)) / 100, plays: ratios.length })}\n`,
  );
