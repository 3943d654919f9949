/** Webhooks of the whole service: registered over HTTP, sent by its own worker. */
import { Webhook as Verifier } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { startTestService } from '../../support/service.ts';
import { openReceiver } from './receiver.ts';

const PROJECT = {
  name: 'linear',
  inputCount: 1,
  minimums: [0],
  maximums: [10],
  inputTypes: ['float'],
  inputCases: [[0], [10], [4]],
};

it('a program can follow its objective from the first case to the solution with webhooks alone', async () => {
  const service = await startTestService({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const receiver = await openReceiver();
  try {
    const { secret } = await service.ok<{ secret: string }>('POST', '/webhooks', { url: receiver.url });
    const verifier = new Verifier(secret);
    // biome-ignore lint/suspicious/noExplicitAny: data from the wire is read field by field
    const event = async (name: string): Promise<any> => {
      for (;;) {
        const { body, headers } = await receiver.next();
        const got = verifier.verify(body, { ...headers }) as { name: string; data: unknown };
        if (got.name === name) return got.data;
      }
    };
    const blackBox = ([x]: readonly number[]) => [2 * x! + 1];

    const model = await service.ok<{ id: number }>('POST', '/models', { name: 'followed by webhooks' });
    const projects = `/models/${model.id}/projects`;
    await service.ok('POST', projects, PROJECT);
    const project = await event('project.created');
    const outputCases = project.inputCases.map(blackBox);
    await service.ok('POST', `${projects}/${project.id}/output-cases`, { outputCount: 1, outputCases });
    const trial = await event('output_cases.loaded');
    expect(trial).toMatchObject({ number: 1, outputCount: 1, objectives: [] });
    const objectives = `${projects}/${project.id}/trials/${trial.id}/objectives`;
    await service.ok('POST', objectives, {
      objectives: [8],
      objectiveTypes: ['value'],
      minimumBounds: [-0.1],
      maximumBounds: [0.1],
      desiredL1Norm: 0,
      initialInput: [4],
      initialOutput: blackBox([4]),
    });
    const objective = await event('objectives.loaded');
    let status = 'active';
    for (let attempt = 0; status === 'active' && attempt < 5; attempt++) {
      await service.call('POST', `${objectives}/${objective.id}/inverses`, {}, { prefer: 'respond-async' });
      const { input } = await event('inverse.suggested');
      const loaded = await service.ok('POST', `${objectives}/${objective.id}/inverse-output`, {
        output: blackBox(input),
      });
      status = String(loaded['status']);
    }
    const satisfied = await event('objective.satisfied');
    expect(satisfied).toMatchObject({
      id: objective.id,
      stopReason: 1,
      optimalInverse: { satisfiedAt: expect.any(String) },
    });
  } finally {
    await service.close();
    await receiver.close();
  }
});

it('a service with default settings refuses a private receiver', async () => {
  const service = await startTestService();
  try {
    const refused = await service.call('POST', '/webhooks', { url: 'https://127.0.0.1/' });
    expect(refused.status).toBe(400);
  } finally {
    await service.close();
  }
});
