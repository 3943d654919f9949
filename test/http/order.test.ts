/** Lists whose client chooses between the oldest and the newest records first. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, OBJECTIVES, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
let deliveries = '';
beforeAll(async () => {
  service = await openNativeService();
  const { send, db } = service;
  const webhook = (await send('POST', '/v1/webhooks', { url: 'https://example.com/hook' })).body;
  deliveries = `/v1/webhooks/${webhook.id}/deliveries`;
  const t = await prepareTrial(send);
  for (let n = 0; n < 5; n++) {
    const { body } = await send('POST', `${t.trialUrl}/objectives`, OBJECTIVES);
    await send('POST', `/v1/objectives/${body.id}/stop`);
  }
  await sql`
    insert into batches (account_id, model_id, project_id, trial_id, status, parallelism, evaluator, output_count,
      timeout_seconds, maximum_tries, maximum_losses, stop_after_failures)
    select t.account_id, t.model_id, t.project_id, t.id, case when n = 4 then 'failed' else 'completed' end, 1,
      '{"kind": "queue"}', 3, 60, 1, 1, 1
    from trials t, generate_series(1, 7) n where t.id = ${t.trialId}`.execute(db);
  await sql`
    insert into evaluations (account_id, batch_id, project_id, case_number, input, state, is_pushed)
    select b.account_id, b.id, b.project_id, n, '{1,2}', 'done', false
    from batches b, generate_series(1, 2) n`.execute(db);
});
afterAll(() => service.close());

/** The ids of all pages. */
async function walk(url: string): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const { status, body, headers, text } = await service.send('GET', next);
    expect(status, text).toBe(200);
    expect(body.length).toBeLessThanOrEqual(2);
    seen.push(...body.map(({ id }: { id: number }) => id));
    next = /^<(.*)>; rel="next"$/.exec(String(headers['link']))?.[1];
  }
  return seen;
}

describe('the order of a list', () => {
  it.each([
    ['batches', () => '/v1/batches?limit=2'],
    ['batches of a status', () => '/v1/batches?limit=2&status=completed'],
    ['deliveries', () => `${deliveries}?limit=2`],
    ['evaluations', () => '/v1/evaluations?limit=2&state=done'],
  ])('Pages of %s go from either end to the other', async (_, url) => {
    const oldest = await walk(url());
    expect(oldest.length).toBeGreaterThan(4);
    expect(oldest).toEqual(oldest.toSorted((a, b) => a - b));
    expect(await walk(`${url()}&order=oldest`)).toEqual(oldest);
    expect(await walk(`${url()}&order=newest`)).toEqual(oldest.toReversed());
    expect(await walk(`${url()}&order=newest&after=${oldest[2]}`)).toEqual([oldest[1], oldest[0]]);
  });

  it.each(['order=', 'order=descending', 'order=newest&order=oldest'])('The query %s is refused', async (query) => {
    const { status, body } = await service.send('GET', `/v1/batches?${query}`);
    expect([status, body.errors[0].property]).toEqual([400, 'order']);
  });
});
