/**
 * Lists of all objectives of an account, newest first, by how they ended. objectives_open has the order now, too. An objective
 * enters objectives_ended when it ends: what a running one changes costs no entry more than before.
 */
export const sql = `
drop index objectives_open;
create index objectives_open on objectives (account_id, id) where stop_reason = 0 and disabled_at is null;
create index objectives_ended on objectives (account_id, stop_reason, id) where stop_reason > 0 and disabled_at is null;
`;
