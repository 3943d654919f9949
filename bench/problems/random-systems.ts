/**
 * Ten systems that answer at random: queues, stores, epidemics, Monte Carlo estimates, rigs. Nearly every property of noise
 * that hurts occurs: skewed, growing with the value, of counts, of several outputs together. Each has inputs at which a fresh
 * run meets all targets with a probability above 0.9. They stand apart from the collection: they are judged by many fresh runs.
 */
import { weldedBeam } from './engineering.ts';
import {
  atLeast,
  atMost,
  float,
  floats,
  integer,
  minimize,
  type Objective,
  type Problem,
  type RunIdentity,
  within,
  withinPercent,
} from './problem.ts';
import { makeUniform } from './random.ts';
import { planarArm } from './robot.ts';

/** Random numbers of one run. */
export interface Chance {
  readonly uniform: () => number;
  readonly normal: () => number;
  readonly exponential: (mean: number) => number;
  readonly poisson: (mean: number) => number;
}

export interface RandomSystem extends Problem {
  /** The outputs that many runs have on average. */
  readonly average: (x: readonly number[]) => readonly number[];
  /** Standard deviations of the outputs where they are the same everywhere. */
  readonly deviations: readonly number[] | null;
}

function chanceOf(seed: number): Chance {
  const uniform = makeUniform(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const poisson = (mean: number): number => {
    if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    let count = -1;
    for (let product = 1; product > Math.exp(-mean); count++) product *= uniform();
    return Math.max(0, count);
  };
  return { uniform, normal, exponential: (mean) => -mean * Math.log(1 - uniform()), poisson };
}

interface Definition {
  readonly name: string;
  readonly source: string;
  readonly variables: Problem['variables'];
  readonly objectives: readonly Objective[];
  readonly start: readonly number[];
  readonly known: readonly number[];
  readonly draw: (x: readonly number[], chance: Chance) => readonly number[];
  /** Mean by a formula, if there is one; else that of runs with fixed numbers. */
  readonly average?: (x: readonly number[]) => readonly number[];
  readonly deviations?: readonly number[];
}

const AVERAGED = 200;

export function define({ draw, average, deviations, ...rest }: Definition): RandomSystem {
  const averaged = (x: readonly number[]) => {
    const sums = new Array<number>(rest.objectives.length).fill(0);
    for (let k = 0; k < AVERAGED; k++) {
      draw(x, chanceOf(Math.imul(k + 1, 0x9e3779b1))).forEach((y, j) => {
        sums[j]! += y / AVERAGED;
      });
    }
    return sums;
  };
  return {
    ...rest,
    family: 'noisy',
    desiredL1Norm: 0,
    convergence: 1e-6,
    budget: 150,
    noisy: true,
    deviations: deviations ?? null,
    average: average ?? averaged,
    evaluate: (x, { seed, index }: RunIdentity) =>
      draw(x, chanceOf(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))),
  };
}

/** Calls of a day at a centre with agents, mean handling and patience in minutes, calls per hour over eight hours. */
function callCentre(agents: number, handling: number, patience: number, perHour: number, { exponential }: Chance) {
  const free = new Array<number>(agents).fill(0);
  let [time, calls, waited, quick, lost, busy] = [0, 0, 0, 0, 0, 0];
  while (time < 480) {
    time += exponential(60 / perHour);
    let agent = 0;
    for (let k = 1; k < agents; k++) if (free[k]! < free[agent]!) agent = k;
    const wait = Math.max(0, free[agent]! - time);
    calls++;
    if (wait > exponential(patience)) {
      lost++;
      continue;
    }
    waited += wait;
    if (wait < 1 / 3) quick++;
    const duration = exponential(handling);
    busy += duration;
    free[agent] = Math.max(time, free[agent]!) + duration;
  }
  return {
    wait: (60 * waited) / Math.max(1, calls - lost),
    quick: (100 * quick) / calls,
    lost: (100 * lost) / calls,
    use: (100 * busy) / (480 * agents),
  };
}

/** Stations in series with one queue each: mean time in the system (min) and finished patients of a day. */
function stations(capacities: readonly number[], handling: readonly number[], perHour: number, chance: Chance) {
  const free = capacities.map((count) => new Array<number>(count).fill(0));
  let [time, count, total, longest] = [0, 0, 0, 0];
  while (time < 600) {
    time += chance.exponential(60 / perHour);
    let at = time;
    handling.forEach((mean, s) => {
      const servers = free[s]!;
      let server = 0;
      for (let k = 1; k < servers.length; k++) if (servers[k]! < servers[server]!) server = k;
      at = Math.max(at, servers[server]!) + (chance.exponential(mean / 2) + chance.exponential(mean / 2));
      servers[server] = at;
    });
    count++;
    total += at - time;
    longest = Math.max(longest, at - time);
  }
  return { mean: total / count, longest, count };
}

/** A store that is filled up to S when its stock falls to s, looked at daily for 120 days; delivery takes three days. */
function store([reorder, upTo, price]: readonly number[], chance: Chance): number[] {
  const demand = 40 * Math.exp(-0.05 * (price! - 10));
  let stock = upTo!;
  const arriving: { day: number; amount: number }[] = [];
  let [held, sold, wanted, orders] = [0, 0, 0, 0];
  for (let day = 0; day < 120; day++) {
    for (const { amount } of arriving.filter((one) => one.day === day)) stock += amount;
    const today = chance.poisson(demand);
    const served = Math.min(stock, today);
    stock -= served;
    sold += served;
    wanted += today;
    held += stock;
    const coming = arriving.filter((one) => one.day > day).reduce((sum, { amount }) => sum + amount, 0);
    if (stock + coming <= reorder!) {
      arriving.push({ day: day + 3, amount: upTo! - stock - coming });
      orders++;
    }
  }
  return [(100 * sold) / wanted, held / 120, (sold * (price! - 6) - 0.05 * held - 30 * orders) / 120];
}

/** An epidemic of 20,000 by daily binomial numbers (normal with their moments); contact rate, days infectious, share vaccinated. */
function epidemic([contact, days, vaccinated]: readonly number[], { normal }: Chance): number[] {
  const size = 20_000;
  let s = size * (1 - vaccinated!) - 200;
  let i = 200;
  let [peak, total] = [i, i];
  for (let day = 0; day < 150; day++) {
    const risk = 1 - Math.exp((-contact! * i) / size);
    const infected = Math.max(0, Math.min(s, s * risk + Math.sqrt(s * risk * (1 - risk)) * normal()));
    const gone = 1 - Math.exp(-1 / days!);
    const recovered = Math.max(0, Math.min(i, i * gone + Math.sqrt(i * gone * (1 - gone)) * normal()));
    s -= infected;
    i += infected - recovered;
    total += infected;
    peak = Math.max(peak, i);
  }
  return [(100 * peak) / size, (100 * total) / size, 100 * vaccinated! + 8 / days!];
}

/** A portfolio of four assets over a year, by 400 draws: expected return, standard deviation and 5 percent loss, all in percent. */
function portfolio(weights: readonly number[], { normal }: Chance): number[] {
  const sum = weights.reduce((total, w) => total + w, 0.2);
  const drift = [7, 5, 9, 3];
  const risk = [15, 9, 24, 4];
  const returns = Array.from({ length: 400 }, () => {
    const market = normal();
    return weights.reduce(
      (total, w, k) => total + (w / sum) * (drift[k]! + risk[k]! * (0.6 * market + 0.8 * normal())),
      0.4 / sum,
    );
  }).sort((a, b) => a - b);
  const mean = returns.reduce((total, r) => total + r / 400, 0);
  const variance = returns.reduce((total, r) => total + (r - mean) ** 2 / 399, 0);
  return [mean, Math.sqrt(variance), -returns[20]!];
}

const arm = [0.5, 0.4, 0.3, 0.2];
const armTruth = [0.5, 0.6, -0.3, 0.8];
const coupled = (x: readonly number[]) => x.map((value, i) => value * value + 0.5 * x[(i + 1) % x.length]!);
/** Strength, weight and roughness of a printed part: power, speed, layer (mm), infill. */
const printed = ([power, speed, layer, infill]: readonly number[]) => {
  const energy = power! / (speed! * layer!);
  return [
    (20 + 40 * infill!) * Math.exp(-(((energy - 5) / 3) ** 2)),
    30 + 70 * infill! + 5 * layer!,
    2 + 40 * layer! ** 1.5 + 0.8 * Math.abs(energy - 5),
  ];
};
/** Yield, impurity and time of a batch: temperature (C), hours, catalyst (percent), feed ratio, stirring. */
const batch = ([temperature, hours, catalyst, ratio, stirring]: readonly number[]) => {
  const rate = catalyst! * Math.exp((temperature! - 80) / 18) * (1 - Math.exp(-stirring! / 2)) * ratio!;
  const made = 1 - Math.exp(-0.35 * rate * hours!);
  const lost = 1 - Math.exp(-0.012 * rate * hours! * Math.exp((temperature! - 80) / 25));
  return [
    100 * made * (1 - lost),
    100 * made * lost + 2 * (ratio! - 1) ** 2,
    hours! + 0.8 * catalyst! + 0.1 * stirring!,
  ];
};

export const randomSystems: readonly RandomSystem[] = [
  define({
    name: 'call-centre',
    source: 'Gans, Koole, Mandelbaum (2003), Telephone call centers; a day of an Erlang-A queue, 300 to 700 calls',
    variables: [integer(5, 40), float(2, 8), float(0.5, 10), float(40, 90)],
    objectives: [atMost(40), atLeast(75), atMost(6), atLeast(60)],
    start: [10, 5, 5, 60],
    known: [8, 4.1, 5, 80],
    draw: ([agents, handling, patience, perHour], chance) => {
      const { wait, quick, lost, use } = callCentre(agents!, handling!, patience!, perHour!, chance);
      return [wait, quick, lost, use];
    },
  }),
  define({
    name: 'emergency-ward',
    source: 'Green (2006), Queueing analysis in healthcare; three stations in series with Erlang service, one day',
    variables: [integer(1, 6), integer(1, 12), integer(1, 8), float(4, 14), float(0.6, 1.6)],
    objectives: [atMost(75), atMost(200), atLeast(70), atMost(26)],
    start: [2, 5, 3, 10, 1.2],
    known: [3, 8, 5, 8.5, 0.9],
    draw: ([triage, doctors, nurses, perHour, pace], chance) => {
      const handling = [8 * pace!, 30 * pace!, 18 * pace!];
      const { mean, longest, count } = stations([triage!, doctors!, nurses!], handling, perHour!, chance);
      return [mean, longest, count, triage! + 2 * doctors! + nurses! + 4 * (1.6 - pace!) ** 2];
    },
  }),
  define({
    name: 'store',
    source: 'Zipkin (2000), Foundations of inventory management; (s, S) policy with Poisson demand over 120 days',
    variables: [float(20, 300), float(150, 700), float(7, 20)],
    objectives: [atLeast(97), atMost(115), atLeast(200)],
    start: [60, 400, 9],
    known: [130, 330, 14],
    draw: store,
  }),
  define({
    name: 'epidemic',
    source: 'Kermack, McKendrick (1927); chain binomial model of 20,000 people',
    variables: [float(0.1, 0.7), float(2, 12), float(0, 0.8)],
    objectives: [within([8], 1)[0]!, within([50], 4)[0]!, atMost(45)],
    start: [0.6, 8, 0.2],
    known: [0.4, 5, 0.3],
    draw: epidemic,
  }),
  define({
    name: 'portfolio',
    source: 'Markowitz (1952); one-factor returns, estimated from 400 draws',
    variables: floats(4, 0, 1),
    objectives: [atLeast(4.4), atMost(7.5), atMost(8.2)],
    start: [0.9, 0.1, 0.9, 0.1],
    known: [0.3, 0.9, 0.1, 0.6],
    draw: portfolio,
  }),
  define({
    name: 'arm-on-a-rig',
    source: 'Craig, Introduction to robotics; planar arm of four links, repeatability 5 mm',
    variables: floats(4, -1.4, 1.6),
    objectives: within([...planarArm(arm, armTruth)], 0.014),
    start: [-0.5, -0.5, 0.5, 0.5],
    known: armTruth,
    average: (x) => planarArm(arm, x),
    deviations: [0.005, 0.005, 0.005],
    draw: (x, { normal }) => planarArm(arm, x).map((y) => y + 0.005 * normal()),
  }),
  define({
    name: 'printed-part',
    source: 'Gibson, Rosen, Stucker (2015), Additive manufacturing; noise in proportion to the outputs',
    variables: [float(20, 120), float(20, 120), float(0.05, 0.4), float(0.1, 1)],
    objectives: [atLeast(40), atMost(90), atMost(5.5)],
    start: [100, 40, 0.3, 0.3],
    known: [60, 80, 0.15, 0.6],
    average: printed,
    draw: (x, { normal }) => printed(x).map((y, j) => y * (1 + [0.08, 0.01, 0.15][j]! * normal())),
  }),
  define({
    name: 'batch-reactor',
    source:
      'Levenspiel (1999), Chemical reaction engineering; yield and impurity with errors that grow with temperature',
    variables: [float(50, 120), float(1, 10), float(0.2, 4), float(0.8, 2), float(0.5, 8)],
    objectives: [atLeast(82), withinPercent([4], 60)[0]!, atMost(8.5)],
    start: [60, 3, 1, 1, 1],
    known: [85, 5, 1, 1.2, 4],
    average: batch,
    draw: (x, { normal }) => batch(x).map((y, j) => y + [1.5, 0.6, 0.05][j]! * Math.exp((x[0]! - 85) / 40) * normal()),
  }),
  define({
    name: 'eight-valves',
    source: 'More, Wild (2011), Estimating computational noise; eight coupled quadratics, noise 0.05',
    variables: floats(8, -2, 2.5),
    objectives: within(new Array(8).fill(1), 0.17),
    start: new Array(8).fill(-1),
    known: new Array(8).fill(0.7807764064),
    average: coupled,
    deviations: new Array(8).fill(0.05),
    draw: (x, { normal }) => coupled(x).map((y) => y + 0.05 * normal()),
  }),
  define({
    name: 'welded-beam-tested',
    source: 'Ragsdell, Phillips (1976), Welded beam; strengths scatter by 4 percent, cost 40 percent over the optimum',
    variables: [float(0.1, 2), float(0.1, 10), float(0.1, 10), float(0.1, 2)],
    objectives: [minimize(2.4), atMost(13600), atMost(30000), atMost(0), atMost(0.25), atLeast(6000)],
    start: [1, 5, 5, 1],
    known: [0.24, 3.6, 9.4, 0.26],
    average: weldedBeam,
    draw: (x, { normal }) => {
      const y = weldedBeam(x);
      return [
        y[0]!,
        y[1]! * (1 + 0.04 * normal()),
        y[2]! * (1 + 0.04 * normal()),
        y[3]!,
        y[4]!,
        y[5]! * (1 + 0.04 * normal()),
      ];
    },
  }),
];
