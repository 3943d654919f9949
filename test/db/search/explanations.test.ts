import { expect, it } from 'vitest';
import { findExplanation, saveExplanation } from '../../../src/db/search/explanations.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';

it('The explanation of the newest suggestion is kept, even if it rests on fewer cases', async () => {
  const t = await openTestAccount();
  try {
    const { path } = await loadLinearObjective(t);
    const save = (inverseId: number, caseCount: number) =>
      saveExplanation(t.db, t.accountId, { ...path, inverseId }, { caseCount, insight: null, diagnosis: null });
    const kept = async () => (await findExplanation(t.db, t.accountId, path.objectiveId))!.caseCount;
    await save(5, 40);
    await save(7, 31);
    expect(await kept()).toBe(31);
    await save(6, 41);
    expect(await kept()).toBe(31);
  } finally {
    await t.close();
  }
});
