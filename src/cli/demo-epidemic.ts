/**
 * The black box of the demo: an SEIR epidemic (Kermack and McKendrick 1927, with an exposed stage) in a town of 100,000,
 * integrated by the classical Runge-Kutta method of order 4. Calibrating such a model against what was observed is a
 * standard inverse problem; here one run takes a millisecond instead of hours.
 */
export interface EpidemicInput {
  readonly name: string;
  /** Empty if it has none. */
  readonly unit: string;
  readonly minimum: number;
  readonly maximum: number;
}

export const EPIDEMIC_INPUTS: readonly EpidemicInput[] = [
  { name: 'reproduction number', unit: '', minimum: 1.2, maximum: 5 },
  { name: 'incubation', unit: 'days', minimum: 1, maximum: 8 },
  { name: 'infectious', unit: 'days', minimum: 2, maximum: 12 },
  { name: 'reported share', unit: '', minimum: 0.1, maximum: 0.9 },
];

export const EPIDEMIC_OUTPUTS = [
  'day of the peak',
  'reported cases per day at the peak',
  'reported cases up to day 30',
  'reported cases in total',
  'days with over 100 reported cases',
] as const;

/** The inputs behind the observations; only the final table of the demo uses them. */
export const EPIDEMIC_TRUTH: readonly number[] = [2.4, 3.6, 6.2, 0.45];

const POPULATION = 100_000;
const FIRST_EXPOSED = 20;
const DAYS = 300;
const STEPS_PER_DAY = 10;

/** One run. Returns the five outputs; the two times are interpolated, so that every output is smooth in every input. */
export function runEpidemic(input: readonly number[]): number[] {
  const [reproduction, incubationDays, infectiousDays, reportedShare] = input as [number, number, number, number];
  const onset = 1 / incubationDays;
  const recovery = 1 / infectiousDays;
  const contact = reproduction * recovery;
  const flow = ([s, e, i]: State): State => {
    const infections = (contact * s * i) / POPULATION;
    return [-infections, infections - onset * e, onset * e - recovery * i];
  };
  let state: State = [POPULATION - FIRST_EXPOSED, FIRST_EXPOSED, 0];
  const reportedPerDay: number[] = [];
  for (let day = 0; day < DAYS; day++) {
    let cases = 0;
    for (let step = 0; step < STEPS_PER_DAY; step++) {
      const next = rungeKutta(flow, state, 1 / STEPS_PER_DAY);
      // People who have left S and E have fallen ill.
      cases += state[0] + state[1] - next[0] - next[1];
      state = next;
    }
    reportedPerDay.push(reportedShare * cases);
  }
  return [
    ...peak(reportedPerDay),
    sum(reportedPerDay.slice(0, 30)),
    sum(reportedPerDay),
    daysAbove(reportedPerDay, 100),
  ];
}

type State = readonly [number, number, number];

function rungeKutta(flow: (state: State) => State, state: State, h: number): State {
  const at = (slope: State, share: number): State => [
    state[0] + share * h * slope[0],
    state[1] + share * h * slope[1],
    state[2] + share * h * slope[2],
  ];
  const k1 = flow(state);
  const k2 = flow(at(k1, 0.5));
  const k3 = flow(at(k2, 0.5));
  const k4 = flow(at(k3, 1));
  const average = (c: 0 | 1 | 2) => (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]) / 6;
  return at([average(0), average(1), average(2)], 1);
}

/** Day and height of the vertex of the parabola through the highest day and its neighbours. */
function peak(series: readonly number[]): [number, number] {
  const top = series.indexOf(Math.max(...series));
  const [left, middle, right] = [series[top - 1] ?? 0, series[top]!, series[top + 1] ?? 0];
  const bend = left - 2 * middle + right;
  const shift = bend === 0 ? 0 : (0.5 * (left - right)) / bend;
  return [top + shift, middle - 0.25 * (left - right) * shift];
}

/** Length of time above the threshold, crossings interpolated linearly. */
function daysAbove(series: readonly number[], threshold: number): number {
  let days = 0;
  for (let day = 1; day < series.length; day++) {
    const [before, after] = [series[day - 1]! - threshold, series[day]! - threshold];
    if (before > 0 && after > 0) days += 1;
    else if (before > 0 || after > 0) days += Math.max(before, after) / Math.abs(before - after);
  }
  return days;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
