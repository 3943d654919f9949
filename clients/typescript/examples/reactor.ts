import { choice, integer, log, minimize, solve, within } from 'backsolve-client/solve';
import { reactor } from './black-boxes.ts';

const { status, best, history } = await solve(reactor, {
  inputs: { k1: log(1e-5, 1e-1), n: integer(1, 9), m: choice('steel', 'brass') },
  goals: { T: within(345, 2), cost: minimize(45) },
  budget: 60,
});
console.log(status, history.length, best?.input, best?.output);
