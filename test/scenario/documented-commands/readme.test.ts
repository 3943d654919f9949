/** Plays README.md and the first guide, with npm and npx. */
import { expect } from 'vitest';
import { testPages } from '../../support/doc-session.ts';

testPages('readme', (printed) => {
  const tour = printed.get('README.md')!.trim().split('\n');
  const answers = tour.map((one) => JSON.parse(one) as { stopReason?: number; inverses?: { inputs: number[] }[] });
  expect(answers).toHaveLength(7);
  expect(answers.at(-1)!.stopReason).toBe(1);
  const [x1, x2] = answers.at(-1)!.inverses!.at(-1)!.inputs as [number, number];
  expect(Math.abs(x1 + x2 - 10)).toBeLessThan(0.1);
  expect(Math.abs(x1 - x2 + 4)).toBeLessThan(0.04);
  expect(printed.get('npx backsolve demo')).toContain('All outputs are met');
  expect(printed.get('npx backsolve run bracket.yaml')).toContain('Solved: everything is met');
});
