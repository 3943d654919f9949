import { atLeast, below, minimize, solve } from 'backsolve-client/solve';
import { alloy } from './black-boxes.ts';

const { status, best, history } = await solve(alloy, {
  inputs: { zinc: [0, 0.5], copper: [0, 1], tin: [0, 0.3] },
  goals: { strength: atLeast(420), density: below(8.7), price: minimize(8.5) },
  constraints: ['zinc + copper + tin <= 1'],
});
console.log(status, history.length, best?.input, best?.output);
