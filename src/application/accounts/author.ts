/** Who changes something, as a log names them. */

import { findKey } from '../../db/accounts/api-keys.ts';
import type { Trx } from '../../db/connection/transaction.ts';

/** Who changes something without a key. */
const BY_LINK = 'sign-in link';

/** The label of the API key, or its key id if it has none; `keyId` null: the session of a sign-in link. */
export async function nameAuthor(trx: Trx, keyId: string | null): Promise<string> {
  return keyId === null ? BY_LINK : ((await findKey(trx, keyId))?.label ?? keyId);
}
