import { real, solve, within } from 'backsolve-client/solve';
import { bracket } from './black-boxes.ts';

const { status, best, history } = await solve(bracket, {
  inputs: { length: real(200, 600, { unit: 'mm' }), width: real(10, 60), height: real(5, 40) },
  goals: { mass: within(2, { percent: 1 }), sag: within(1.5, 0.05) },
  constraints: ['height <= 2 * width'],
});
console.log(status, history.length, best?.input, best?.output);
