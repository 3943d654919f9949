/** One to three inputs: spreadsheet and textbook equations. */
import { atMost, defineProblems, exact, float, floats, maximize, minimize, within, withinPercent } from '../problem.ts';

const payments = [-1000, 180, 260, 340, 310, 240];
const presentValue = (percent: number) =>
  payments.reduce((total, payment, year) => total + payment / (1 + percent / 100) ** year, 0);

/** Standard normal distribution function (Abramowitz, Stegun 26.2.17, error below 7.5e-8). */
function normalDistribution(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return x >= 0 ? 1 - tail : tail;
}
/** Volatility and interest (percent a year) to the prices of a call and a put: spot 102, strike 100, nine months. */
function optionPrices([volatility, interest]: readonly number[]): number[] {
  const spread = (volatility! / 100) * Math.sqrt(0.75);
  const discounted = 100 * Math.exp((-interest! / 100) * 0.75);
  const d1 = Math.log(102 / discounted) / spread + spread / 2;
  const call = 102 * normalDistribution(d1) - discounted * normalDistribution(d1 - spread);
  return [call, call - 102 + discounted];
}

/** Discharge (m3/s) and speed (m/s) in a trapezoidal channel by Manning: width of the bed and depth (m). */
function channel([width, depth]: readonly number[]): number[] {
  const area = (width! + 1.5 * depth!) * depth!;
  const wetted = width! + 2 * depth! * Math.sqrt(1 + 1.5 ** 2);
  const speed = ((area / wetted) ** (2 / 3) * Math.sqrt(0.0006)) / 0.015;
  return [area * speed, speed];
}

/** Acid and acetate (mmol/l) to pH and buffer capacity (mmol/l per unit). */
function acetateBuffer([acid, salt]: readonly number[]): number[] {
  const total = (acid! + salt!) / 1000;
  const constant = 10 ** -4.756;
  let [low, high] = [0, 14];
  for (let step = 0; step < 60; step++) {
    const ph = (low + high) / 2;
    const h = 10 ** -ph;
    const charge = salt! / 1000 + h - 1e-14 / h - (total * constant) / (constant + h);
    if (charge > 0) low = ph;
    else high = ph;
  }
  const h = 10 ** -low;
  return [low, 1000 * Math.LN10 * (h + 1e-14 / h + (total * constant * h) / (constant + h) ** 2)];
}

/** Price and advertising to the profit of a month and the units sold, under constant elasticities. */
function campaign([price, advertising]: readonly number[]): number[] {
  const units = 9e4 * price! ** -2.2 * advertising! ** 0.25;
  return [(price! - 12) * units - advertising!, units];
}

const optionTruth = [27.5, 3.2];
const channelTruth = [5.2, 1.9];
const bufferTruth = [32, 58];

export const classicProblems = defineProblems('classics', [
  {
    name: 'internal-rate-of-return',
    source: 'Fisher (1930), The theory of interest; rate at which six payments are worth nothing',
    variables: [float(0, 50)],
    objectives: exact([0]),
    desiredL1Norm: 0.05,
    start: [40],
    known: [9.803836],
    evaluate: ([percent]) => [presentValue(percent!)],
  },
  {
    name: 'implied-volatility',
    source: 'Black, Scholes (1973); volatility and interest from the prices of a call and a put',
    variables: [float(5, 90), float(0, 12)],
    objectives: withinPercent(optionPrices(optionTruth), 0.2),
    start: [70, 10],
    known: optionTruth,
    evaluate: optionPrices,
  },
  {
    name: 'catenary-cable',
    source: 'Bernoulli, Huygens, Leibniz (1691); sag and length of a hanging cable from its parameter and half span',
    variables: [float(20, 250), float(10, 90)],
    objectives: within([16, 100], 0.02),
    start: [200, 80],
    known: [70.11338, 46.50928],
    evaluate: ([a, half]) => [a! * (Math.cosh(half! / a!) - 1), 2 * a! * Math.sinh(half! / a!)],
  },
  {
    name: 'open-channel',
    source: 'Manning (1891); Chow, Open-channel hydraulics; trapezoidal channel',
    variables: [float(1, 12), float(0.3, 4)],
    objectives: withinPercent(channel(channelTruth), 0.5),
    start: [10, 0.6],
    known: channelTruth,
    evaluate: channel,
  },
  {
    name: 'tubular-column',
    source: 'Rao (1996), Engineering optimization; optimum 26.486',
    variables: [float(2, 14), float(0.2, 0.8)],
    objectives: [minimize(26.8), atMost(1), atMost(1)],
    start: [12, 0.7],
    known: [5.46, 0.2925],
    evaluate: ([d, t]) => [
      9.8 * d! * t! + 2 * d!,
      2500 / (Math.PI * d! * t! * 500),
      (8 * 2500 * 250 ** 2) / (Math.PI ** 3 * 0.85e6 * d! * t! * (d! ** 2 + t! ** 2)),
    ],
  },
  {
    name: 'acetate-buffer',
    source: 'Van Slyke (1922), On the measurement of buffer values; acetic acid and sodium acetate',
    variables: floats(2, 1, 200),
    objectives: [
      ...within(acetateBuffer(bufferTruth).slice(0, 1), 0.01),
      ...withinPercent(acetateBuffer(bufferTruth).slice(1), 0.5),
    ],
    start: [150, 20],
    known: bufferTruth,
    evaluate: acetateBuffer,
  },
  {
    name: 'price-and-advertising',
    source: 'Dorfman, Steiner (1954), Optimal advertising and optimal quality; with a stock',
    variables: [float(13, 60), float(200, 30000)],
    objectives: [maximize(4650), atMost(550)],
    start: [55, 25000],
    known: [23.21, 1449.6],
    evaluate: campaign,
  },
  {
    name: 'bohachevsky',
    source: 'Bohachevsky, Johnson, Stein (1986); Surjanovic, Bingham, Virtual Library of Simulation Experiments',
    variables: floats(2, -6, 8),
    objectives: [minimize(0.2)],
    start: [5, -4],
    known: [0, 0],
    evaluate: ([a, b]) => [
      a! ** 2 + 2 * b! ** 2 - 0.3 * Math.cos(3 * Math.PI * a!) - 0.4 * Math.cos(4 * Math.PI * b!) + 0.7,
    ],
  },
]);
