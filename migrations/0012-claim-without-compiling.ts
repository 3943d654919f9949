/** Claims are fast on PostgreSQL 14 to 17 too, and claims of deliveries beside a long backlog of one webhook. */
export const sql = `
-- "enable_sort = off" keeps a claim on its index, but before PostgreSQL 18 it adds 1e10 to the cost of each of the two small sorts
-- that a claim cannot do without. Statements that dear are compiled: where the just-in-time compiler is installed every claim
-- took 0.2 to 3 s in place of 1 ms.
alter function claim_jobs set jit = off;

-- A claim of deliveries counts those of a webhook that are under way, and read all that wait for another attempt to do so:
-- 0.3 s with 600,000 of them, estimated dear enough to be compiled as well. Few are under way at a time.
create index webhook_deliveries_leased on webhook_deliveries (webhook_id, visible_at) where state = 'leased';
`;
