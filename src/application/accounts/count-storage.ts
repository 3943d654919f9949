/** Counts what accounts store, apart from all requests. */
import {
  countSlice,
  forgetEmptySlices,
  listDueSlices,
  type Slice,
  takeCounting,
} from '../../db/accounts/account-usage.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';

/**
 * One pass: counts what has changed since the last one, in transactions of some milliseconds. Returns the number of slices that it counted.
 * Stops if another process is already counting, and between two transactions when the signal fires.
 */
export async function countStorage(db: Db, signal?: AbortSignal): Promise<{ readonly slices: number }> {
  let slices = 0;
  for (const slice of await listDueSlices(db)) {
    if (signal?.aborted || !(await countAlone(db, slice))) return { slices };
    slices += 1;
  }
  await forgetEmptySlices(db);
  return { slices };
}

function countAlone(db: Db, slice: Slice): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const isTaken = await takeCounting(trx);
    if (isTaken) await countSlice(trx, slice);
    return isTaken;
  });
}
