/** Fixed-step integration of ordinary differential equations for the simulator problems. */

export type Derivative = (state: readonly number[], time: number) => number[];

/**
 * Classical Runge-Kutta method of order four from time 0.
 *
 * @param initial state at time 0
 * @param end     last time, > 0
 * @param steps   equal steps; the states at all steps + 1 times are returned
 */
export function integrate(derivative: Derivative, initial: readonly number[], end: number, steps: number): number[][] {
  const h = end / steps;
  const states = [[...initial]];
  for (let step = 0; step < steps; step++) {
    const y = states[step]!;
    const t = step * h;
    const k1 = derivative(y, t);
    const k2 = derivative(advance(y, k1, h / 2), t + h / 2);
    const k3 = derivative(advance(y, k2, h / 2), t + h / 2);
    const k4 = derivative(advance(y, k3, h), t + h);
    states.push(y.map((value, i) => value + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!)));
  }
  return states;
}

/** Values of one component at the given step numbers. */
export function sample(states: readonly number[][], component: number, steps: readonly number[]): number[] {
  return steps.map((step) => states[step]![component]!);
}

function advance(state: readonly number[], slope: readonly number[], h: number): number[] {
  return state.map((value, i) => value + h * slope[i]!);
}
