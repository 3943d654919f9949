/**
 * Every keyed request looked up its account once more and locked the row, for a reference that nothing can break: accounts
 * are never deleted, the id comes from the API key, and a row lives for a day.
 */
export const sql = `
alter table idempotency_keys drop constraint idempotency_keys_account_id_fkey;
`;
