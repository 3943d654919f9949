import { afterAll, describe, it } from 'vitest';
import { startTestService } from '../support/service.ts';
import { honest, makeDyingThread, makeEngine, proposing, type Suggest } from './engines.ts';
import { type Inverse, loadObjective, openAdmin, readInverses, readJob, undisturbedInput } from './objective.ts';

const dying = makeDyingThread();
const FAULTS: readonly { readonly name: string; readonly suggest: Suggest; readonly reason: RegExp }[] = [
  { name: 'throws', suggest: () => Promise.reject(new Error('out of luck')), reason: /out of luck/ },
  {
    name: 'reports a fault',
    suggest: async () => ({ ok: false, fault: 'not positive definite\n  at' }),
    reason: /not positive definite$/,
  },
  { name: 'returns NaN', suggest: proposing(Number.NaN, 1), reason: /outside the space/ },
  { name: 'leaves the space', suggest: proposing(3, 11), reason: /outside the space/ },
  { name: 'dies with its thread', suggest: dying.suggest, reason: /exit|terminat|worker/i },
];

afterAll(() => dying.close());

describe('an engine that', () => {
  it.concurrent.for(FAULTS)(
    '$name fails the inverse after all retries, and the next suggest request tries again',
    async (fault, { expect, onTestFinished }) => {
      let suggest = honest;
      const service = await startTestService({ engine: makeEngine((...task) => suggest(...task)) });
      const admin = await openAdmin(service.databaseUrl);
      onTestFinished(async () => {
        await admin.end();
        await service.close();
      });
      const expected = await undisturbedInput(service);
      const path = await loadObjective(service);
      let calls = 0;
      suggest = (...task) => {
        calls += 1;
        return fault.suggest(...task);
      };
      const failed = await service.call('POST', `${path}/inverses`);
      expect(failed).toMatchObject({ status: 500, body: { type: expect.stringContaining('suggestion-failed') } });
      expect(calls).toBe(5);
      const after = await readInverses(service, path);
      expect(after).toMatchObject({ stopReason: 0, attemptCount: 0, inverses: [{}, { status: 'failed' }] });
      const { rows } = await admin.query('select failure_reason from inverses where failure_reason is not null');
      expect(rows[0].failure_reason).toMatch(fault.reason);
      expect(await readJob(admin, path)).toBeUndefined();
      suggest = honest;
      expect(await service.ok<Inverse>('POST', `${path}/inverses`)).toMatchObject({ iteration: 3, input: expected });
      expect(await readInverses(service, path)).toMatchObject({ attemptCount: 1 });
    },
  );
});
