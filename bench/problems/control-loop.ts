/** The step response of a delayed second-order plant under a PID controller with limited output. */

const STEP = 0.02;
const STEPS = 500;
/** Steps by which the plant answers late. */
const DELAY = 15;
/** Largest output of the controller. */
const LIMIT = 5;
/** A settling time, in seconds, that no setting reaches. */
export const RISE_LIMIT = 0.6;

/** @returns overshoot in percent, settling time in seconds (10 if it never settles), and the integral of the control output */
export function stepResponse(p: number, i: number, d: number): number[] {
  const late = new Array<number>(DELAY).fill(0);
  let [y, velocity, integral, before, effort, highest, settled] = [0, 0, 0, 1, 0, 0, STEPS];
  for (let k = 0; k < STEPS; k++) {
    const error = 1 - y;
    integral += error * STEP;
    const control = Math.max(-LIMIT, Math.min(LIMIT, p * error + i * integral + (d * (error - before)) / STEP));
    before = error;
    late.push(control);
    velocity += (late.shift()! - 0.8 * velocity - y) * STEP;
    y += velocity * STEP;
    effort += Math.abs(control) * STEP;
    highest = Math.max(highest, y);
    if (Math.abs(y - 1) >= 0.05) settled = STEPS;
    else if (settled === STEPS) settled = k;
  }
  return [100 * Math.max(0, highest - 1), settled * STEP, effort];
}
