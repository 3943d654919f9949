/**
 * Measures how right the ranges and combinations of inputs are that the models derive from a finished calibration, on problems whose
 * true ranges are known in closed form.
 *
 *   npx node bench/insight/identifiability.ts [--seeds 5] [--problem name] [--list] [--follow 3]
 *
 * With --follow so many of the runs are made that would tell most.
 */
import { parseArgs } from 'node:util';
import { play } from '../../harness/optimizer-game.ts';
import { identifiability } from '../../src/optimizer/identifiability.ts';
import type { Identifiability } from '../../src/optimizer/interface/insights.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { type Calibration, calibrations } from './known-ranges.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5' },
    problem: { type: 'string' },
    list: { type: 'boolean', default: false },
    follow: { type: 'string', default: '0' },
  },
});
/** A range may be wrong by this share of the bounds. */
const SLACK = 0.01;

const sums = {
  reports: 0,
  silent: 0,
  ranges: 0,
  sure: 0,
  possible: 0,
  found: 0,
  wanted: 0,
  claims: 0,
  wrong: 0,
  missed: 0,
  openShare: 0,
  ms: 0,
};
for (const calibration of calibrations.filter(({ name }) => !options.problem || name.includes(options.problem))) {
  for (let seed = 1; seed <= Number(options.seeds); seed++) {
    const { variables, targets, evaluate } = calibration;
    const played = play({ variables, goal: { targets, l1: null }, evaluate, seed }, 60);
    if (played.solvedAt < 0) {
      console.log(`${calibration.name} ${seed}: not solved`);
      continue;
    }
    let request = played.request;
    const started = performance.now();
    let report = identifiability(request);
    sums.ms += performance.now() - started;
    for (let k = 0; k < Number(options.follow) && report?.next; k++) {
      request = extended(request, report.next.at, evaluate(report.next.at));
      report = identifiability(request);
    }
    if (report === null) sums.silent++;
    else count(calibration, report, seed);
  }
}
const share = (a: number, b: number) => `${a} of ${b} (${((100 * a) / b).toFixed(0)} %)`;
console.log(
  '| reports | sure ranges inside the true ones | true ranges inside the possible ones | open share of the bounds | combinations found | false claims | ends that miss | ms |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
console.log(
  `| ${sums.reports}, ${sums.silent} silent | ${share(sums.sure, sums.ranges)} | ${share(sums.possible, sums.ranges)} | ${(sums.openShare / sums.ranges).toFixed(3)} | ${share(sums.found, sums.wanted)} | ${sums.wrong} of ${sums.claims} | ${sums.missed} of ${2 * sums.claims} | ${(sums.ms / (sums.reports + sums.silent)).toFixed(0)} |`,
);

function extended(request: SuggestRequest, x: readonly number[], y: readonly number[]): SuggestRequest {
  const { history } = request;
  return {
    ...request,
    history: {
      count: history.count + 1,
      X: Float64Array.from([...history.X, ...x]),
      Y: Float64Array.from([...history.Y, ...y]),
      failed: Uint8Array.from([...history.failed, 0]),
    },
  };
}

function count(calibration: Calibration, report: Identifiability, seed: number): void {
  const { variables, ranges, combinations, name } = calibration;
  sums.reports++;
  const lines: string[] = [];
  report.ranges.forEach((range, v) => {
    if (range.kind !== 'range') return;
    const [low, high] = ranges[v]!;
    const slack = SLACK * (variables[v]!.maximum - variables[v]!.minimum);
    const isSure = range.fits.low >= low - slack && range.fits.high <= high + slack;
    const isPossible = range.possible.low <= low + slack && range.possible.high >= high - slack;
    sums.ranges++;
    sums.openShare += range.shares.possible - range.shares.fits;
    if (isSure) sums.sure++;
    if (isPossible) sums.possible++;
    const show = (one: { low: number; high: number }) => `[${one.low.toPrecision(4)}, ${one.high.toPrecision(4)}]`;
    lines.push(
      `   ${v} true [${low.toPrecision(4)}, ${high.toPrecision(4)}] fits ${show(range.fits)}${isSure ? '' : ' WRONG'} possible ${show(range.possible)}${isPossible ? '' : ' WRONG'} alone ${show(range.alone)}`,
    );
  });
  const involved = report.combinations.map(({ loadings }) => loadings.flatMap((one, v) => (one === 0 ? [] : [v])));
  sums.claims += involved.length;
  sums.wanted += combinations.length;
  sums.found += combinations.filter((one) => involved.some((other) => other.join() === one.join())).length;
  report.combinations.forEach((one, k) => {
    const isTrue = combinations.some((other) => other.every((v) => involved[k]!.includes(v)));
    const isWrong = !isTrue || !holdsAt(calibration, one.ends);
    if (!isTrue) sums.wrong++;
    sums.missed += one.ends.filter((end) => !holdsAt(calibration, [end])).length;
    lines.push(
      `   combination ${involved[k]!.join()} ${one.scale} ${one.loadings.map((l) => l.toFixed(2)).join(' ')} ${one.ends.map((e) => e.map((x) => x.toPrecision(3)).join(',')).join(' to ')}${isWrong ? ' WRONG' : ''}`,
    );
  });
  lines.push(
    `   next ${report.next ? `${report.next.at.map((x) => x.toPrecision(3))} about ${report.next.input}` : 'none'}`,
  );
  if (options.list) console.log([`${name} ${seed}`, ...lines].join('\n'));
}

/** True when inputs meet the targets, give or take 5 percent of their widths. */
function holdsAt({ targets, evaluate }: Calibration, ends: readonly (readonly number[])[]): boolean {
  return ends.every((x) =>
    evaluate(x).every((y, j) => {
      const { lower, upper } = targets[j]!;
      const slack = Number.isFinite(upper - lower) ? 0.05 * (upper - lower) : 0.01;
      return y >= lower - slack && y <= upper + slack;
    }),
  );
}
