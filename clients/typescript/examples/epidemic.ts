import { solve, within } from 'backsolve-client/solve';
import { epidemic } from './black-boxes.ts';

const { status, best, history } = await solve(epidemic, {
  inputs: { contacts: [0.1, 1], recovery: [0.05, 0.3] },
  goals: { peak: within(21, 0.1), day: within(42, 0.5) },
});
console.log(status, history.length, best?.input, best?.output);
