/** What the runs of an objective show that a person can act on, beside what the models say about its outputs. */
export const sql = `
alter table explanations add column advice jsonb;
`;
