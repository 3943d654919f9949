/** Plays goals within standard deviations over HTTP, where the black box is noisy and where it is not. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NativeService, NEVER, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
let trialUrl: string;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  ({ trialUrl } = await prepareTrial(service.send));
});
afterAll(() => service.close());

const GOAL = {
  objectiveTypes: ['standard_deviations', 'value', 'value'],
  minimumBounds: [-2, -1e6, -1e6],
  maximumBounds: [2, 1e6, 1e6],
};
const load = (body: object) => service.send('POST', `${trialUrl}/objectives`, { ...NEVER, ...GOAL, ...body });

it('Runs are judged by the noise that is stated, which every view shows in standard deviations', async () => {
  const { status, body } = await load({ initialOutput: [20, 0, 10], noise: { standardDeviations: [0.5, 0, 0] } });
  expect(status).toBe(201);
  const { body: inverse } = await service.send('POST', `/v1/objectives/${body.id}/inverses`);
  const url = `/v1/objectives/${body.id}/inverses/${inverse.id}/output`;
  const { status: answered, body: judged } = await service.send('PUT', url, { output: [10.9, 0, 0] });
  expect(answered).toBe(200);
  expect(judged.results[0]).toMatchObject({ type: 'standard_deviations', satisfied: true, minimumBound: -2 });
  expect(judged.results[0].error).toBeCloseTo(1.8, 12);
  const { body: history } = await service.send('GET', `/v1/objectives/${body.id}/history`);
  expect(history.intervals[0]).toMatchObject({ lower: 9, upper: 11 });
  expect(history.stopReason).toBe(1);
});

it('Without noise to count in, the key to state is named', async () => {
  for (const noise of [undefined, 'estimate']) {
    const { status, body } = await load({ noise });
    expect([status, body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([400, ['/noise']]);
    expect(body.errors[0].message).toContain('must state the standard deviation');
  }
  const { body } = await load({ noise: { standardDeviations: [0, 0, 0] } });
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/noise/standardDeviations/0']);
});
