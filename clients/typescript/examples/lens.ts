import { below, real, solve, within } from 'backsolve-client/solve';
import { lens } from './black-boxes.ts';

const { status, best, history } = await solve(lens, {
  inputs: { front: real(20, 200), back: real(20, 200), plate: real(2, 12) },
  goals: { focus: within(180, 0.5), color: below(10) },
});
console.log(status, history.length, best?.input, best?.output);
