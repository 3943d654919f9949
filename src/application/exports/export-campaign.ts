/** Writes the data from which the suggestions of a model were computed, as the lines of a campaign. */
import type { Db } from '../../db/connection/transaction.ts';
import { findInverse } from '../../db/search/inverses.ts';
import { readSnapshotOf } from '../../db/search/suggestions.ts';
import { isRepeat } from '../../domain/search/inverse.ts';
import { toSuggestRequest } from '../search/engine-input.ts';
import { CampaignWriter, writeLine } from './campaign-lines.ts';
import { exportModel } from './export-records.ts';

/** The text in whole lines, in the order of objectives and iterations. Rejects as exportModel does, before the first one. */
export async function* exportSuggestions(
  db: Db,
  accountId: number,
  modelId: number,
  workLimit: number,
): AsyncGenerator<string, void> {
  const writer = new CampaignWriter();
  for await (const page of exportModel(db, accountId, modelId, { withDeleted: false, files: 'no notes' })) {
    for (const record of page) {
      if (record.type !== 'inverse' || record.inverse.iteration === 1 || record.inverse.input === null) continue;
      const { id, objectiveId, iteration } = record.inverse;
      const inverse = await findInverse(db, accountId, id);
      if (inverse === undefined || inverse.input === null) continue;
      const snapshot = await readSnapshotOf(db, { accountId, inverseId: id });
      const request = snapshot === undefined ? null : toSuggestRequest(snapshot, workLimit);
      const line = { objectiveId, iteration, isEnd: isRepeat(inverse), input: inverse.input };
      for (const each of writer.write(line, request)) yield writeLine(each);
    }
  }
}
