/** A worker that ends once everything queued is done. */
import { expect, it } from 'vitest';
import { openReceiver } from '../outside/webhooks/receiver.ts';
import { type ShownBatch, untilBatch } from '../support/evaluator.ts';
import { runCommand } from '../support/run-command.ts';
import { startTestService } from '../support/service.ts';

it('work --drain solves the batch of an http evaluator and ends with 0', async () => {
  const t = await startTestService({ worker: false, settings: { ALLOW_PRIVATE_EVALUATORS: '127.0.0.1' } });
  const receiver = await openReceiver((response, { body }) => {
    const [x] = (JSON.parse(body) as { input: [number] }).input;
    response.end(JSON.stringify({ output: [x * x] }));
  });
  try {
    const model = await t.ok<{ id: number }>('POST', '/models', { name: 'drain' });
    const space = { inputCount: 1, minimums: [0], maximums: [10], inputTypes: ['float'] };
    const project = await t.ok<{ id: number }>('POST', `/models/${model.id}/projects`, { name: 'drain', ...space });
    const bounds = { minimumBounds: [-0.05], maximumBounds: [0.05] };
    const objectives = [7, 30].map((target) => ({ objectives: [target], objectiveTypes: ['value'], ...bounds }));
    const { id } = await t.ok<ShownBatch>('POST', `/models/${model.id}/projects/${project.id}/batches`, {
      objectives,
      evaluator: { kind: 'http', url: receiver.url },
    });
    const settings = { DATABASE_URL: t.databaseUrl, ALLOW_PRIVATE_EVALUATORS: '127.0.0.1', ENGINE_THREADS: '1' };
    const { code, stderr } = await runCommand(['work', '--drain'], settings);
    expect(code, stderr).toBe(0);
    expect(await untilBatch(t, id, () => true)).toMatchObject({
      status: 'completed',
      progress: { objectives: { satisfied: 2 } },
    });
  } finally {
    await receiver.close();
    await t.close();
  }
});
