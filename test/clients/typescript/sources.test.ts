/** Cheaper sources in `solve`: one function for each. */
import { beforeAll, expect, it } from 'vitest';
import { fit as fitTo, real, solve, within } from '../../../clients/typescript/src/solve.ts';
import { openPlaces, type Places } from './places.ts';

let here: Places['here'];

beforeAll(async () => {
  const places = await openPlaces();
  ({ here } = places);
  return places.close;
});

const inputs = { a: real(0, 1), b: real(0, 1) };
const fine = ({ a, b }: { a: number; b: number }) => ({ u: a + 0.3 * a * b + a ** 3, v: b - 0.2 * a * a, w: a * b });
const coarse = (input: { a: number; b: number }) => {
  const { u, v, w } = fine(input);
  return { u: 0.9 * u + 0.05, v: 0.9 * v + 0.05, w: 0.9 * w + 0.05 };
};
const wanted = fine({ a: 0.62, b: 0.37 });
const goals = { u: within(wanted.u, 2e-3), v: within(wanted.v, 2e-3), w: within(wanted.w, 2e-3) };

it('runs the function of the source that the service asks for, and ends with a run of the black box itself', async () => {
  const result = await solve(fine, {
    inputs,
    goals,
    sources: { coarse: { run: coarse, cost: 0.05 } },
    ...here(),
  });
  expect(result.status).toBe('satisfied');
  const ran = result.history.map(({ source }) => source);
  expect(ran.filter((one) => one === 'coarse').length).toBeGreaterThan(3);
  expect(ran.at(-1)).toBeNull();
  for (const { source, input, output } of result.history) {
    expect(output).toEqual((source === null ? fine : coarse)(input));
  }
});

it('refuses costs and names that are none, and a fit', async () => {
  const sources = (cost: number) => ({ coarse: { run: coarse, cost } });
  await expect(solve(fine, { inputs, goals, sources: sources(2) })).rejects.toThrow('sources.coarse.cost');
  await expect(solve(fine, { inputs, goals, sources: { fine: { run: coarse, cost: 0.1 } } })).rejects.toThrow(
    'cannot be called fine',
  );
  const fits = { u: fitTo([1, 2], { sigma: 0.1 }) };
  await expect(
    solve(() => ({ u: [1, 2] }), {
      inputs,
      goals: fits,
      sources: { coarse: { run: () => ({ u: [1, 2] }), cost: 0.1 } },
    }),
  ).rejects.toThrow('cannot go with a fit');
});
