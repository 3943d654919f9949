/**
 * Whatever changes an objective, its inverses or its job raises its version, so that a write can see whether what it was decided by
 * has changed. Whether several inverses may be open is no longer remembered: what happens does not depend on it.
 */
export const sql = `
alter table objectives add column version integer not null default 0;
alter table objectives drop column is_parallel;
`;
