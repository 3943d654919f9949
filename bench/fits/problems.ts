/** Calibrations as people pose them: bounds, a curve with an error, no start. */
import { type FitProblem, log, oneSet, real, simulated } from './problem.ts';

const grid = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));

/** Rows of states of x' = f(x) at the given times, by steps of Runge and Kutta. */
function integrate(f: (x: number[]) => number[], start: readonly number[], times: readonly number[], step: number) {
  let x = [...start];
  let t = 0;
  return times.map((until) => {
    const count = Math.max(1, Math.ceil((until - t) / step - 1e-9));
    const h = (until - t) / count;
    for (let k = 0; k < count; k++) {
      const k1 = f(x);
      const k2 = f(x.map((v, i) => v + (h / 2) * k1[i]!));
      const k3 = f(x.map((v, i) => v + (h / 2) * k2[i]!));
      const k4 = f(x.map((v, i) => v + h * k3[i]!));
      x = x.map((v, i) => v + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
    }
    t = until;
    return x;
  });
}

/** A to B to C, with the concentration of B measured: rates and the start of A. */
function kinetics(seed: number): FitProblem {
  const times = grid(0, 10, 60);
  const model = (x: ArrayLike<number>) => {
    const [k1, k2, a] = [x[0]!, x[1]!, x[2]!];
    const gap = Math.abs(k1 - k2) < 1e-9 ? 1e-9 : k2 - k1;
    return times.map((t) => ((a * k1) / gap) * (Math.exp(-k1 * t) - Math.exp(-k2 * t)));
  };
  const truth = [0.9, 0.25, 1.3];
  const values = simulated(model, truth, 0.01, seed);
  return {
    name: 'kinetics',
    variables: [log(0.01, 10), log(0.01, 10), real(0.5, 2)],
    truth,
    model,
    fits: oneSet(values, 0.01),
  };
}

/** Predator and prey, counted at two places with different errors. */
function predators(seed: number): FitProblem {
  const times = grid(0.5, 12, 24);
  const model = (x: ArrayLike<number>) => {
    const [a, b, c, d] = [x[0]!, x[1]!, x[2]!, x[3]!];
    const rows = integrate(([u, v]) => [a * u! - b * u! * v!, d * u! * v! - c * v!], [10, 5], times, 0.05);
    return [...rows.map(([u]) => u!), ...rows.map(([, v]) => v!)].map((y) => Math.min(1e6, Math.max(-1e6, y || 0)));
  };
  const truth = [0.9, 0.12, 0.8, 0.06];
  const clean = model(truth);
  const [first] = [simulated(model, truth, 0.5, seed)];
  const second = simulated(model, truth, 0.25, seed + 100);
  const half = clean.length / 2;
  const set = (values: number[], sigma: number, from: number) => ({
    ...oneSet(values, sigma)[0]!,
    outputs: values.map((_, i) => from + i),
  });
  return {
    name: 'predators',
    variables: [real(0.3, 2), log(0.02, 0.5), real(0.3, 2), log(0.01, 0.3)],
    truth,
    model,
    fits: [set(first!.slice(0, half), 0.5, 0), set(second.slice(half), 0.25, half)],
  };
}

/** Three peaks on a slope: heights, places and one width. */
function peaks(seed: number): FitProblem {
  const at = grid(0, 10, 120);
  const model = (x: ArrayLike<number>) =>
    at.map((t) => {
      let y = x[7]! + x[8]! * t;
      for (let k = 0; k < 3; k++) y += x[k]! * Math.exp(-(((t - x[3 + k]!) / x[6]!) ** 2) / 2);
      return y;
    });
  const truth = [3, 5, 2, 2.4, 5.1, 7.8, 0.6, 0.5, 0.1];
  const ranges = [real(0, 8), real(0, 8), real(0, 8), real(1.5, 3.5), real(4, 6), real(7, 9), real(0.3, 1.2)];
  const variables = [...ranges, real(-1, 2), real(-0.5, 0.5)];
  return { name: 'peaks', variables, truth, model, fits: oneSet(simulated(model, truth, 0.05, seed), 0.05) };
}

/** Dose and response with four parameters, and two wells in twenty gone wrong. */
function dose(seed: number): FitProblem {
  const doses = grid(-3, 3, 20).map((e) => 10 ** e);
  const model = (x: ArrayLike<number>) => doses.map((d) => x[0]! + (x[1]! - x[0]!) / (1 + (x[2]! / d) ** x[3]!));
  const truth = [0.1, 2.1, 0.8, 1.4];
  const values = simulated(model, truth, 0.05, seed).map((y, i) => (i === 7 || i === 15 ? y + 1.2 : y));
  const variables = [real(-1, 1), real(1, 4), log(0.01, 100), real(0.3, 4)];
  return { name: 'dose', variables, truth, model, fits: oneSet(values, 0.05, 'soft_l1') };
}

/** Amplitude in decibels of two resonances at 200 frequencies. */
function frequencies(seed: number): FitProblem {
  const at = grid(0, 2, 200).map((e) => 10 ** e);
  const model = (x: ArrayLike<number>) =>
    at.map((w) => {
      let [re, im] = [0, 0];
      for (const k of [0, 1]) {
        const [gain, natural, damping] = [x[3 * k]!, x[3 * k + 1]!, x[3 * k + 2]!];
        const a = natural ** 2 - w ** 2;
        const b = 2 * damping * natural * w;
        const share = (gain * natural ** 2) / (a * a + b * b);
        re += share * a;
        im -= share * b;
      }
      return 20 * Math.log10(Math.hypot(re, im) + 1e-12);
    });
  const truth = [1, 6, 0.08, 0.4, 28, 0.05];
  const variables = [log(0.1, 10), real(3, 10), log(0.01, 0.5), log(0.05, 5), real(18, 40), log(0.01, 0.5)];
  return { name: 'frequencies', variables, truth, model, fits: oneSet(simulated(model, truth, 0.3, seed), 0.3) };
}

/** Each with data drawn by a seed. */
export const FIT_PROBLEMS: readonly ((seed: number) => FitProblem)[] = [kinetics, predators, peaks, dose, frequencies];
