import { below, boolean, levels, real, solve, within } from 'backsolve-client/solve';
import { pump } from './black-boxes.ts';

const { status, best, history } = await solve(pump, {
  inputs: { speed: real(600, 3000, { step: 10 }), wheel: levels(160, 180, 200, 230, 260, 300), quiet: boolean() },
  goals: { flow: within(150, { percent: 2 }), power: below(14), noise: below(55) },
  budget: 40,
});
console.log(status, history.length, best?.input, best?.output);
