/** Cheaper sources of the outputs of a project, with the cost of a run, and the source of each run and evaluation: null for the fine one. */
export const sql = `
alter table projects add column sources jsonb;
alter table inverses add column source text;
alter table evaluations add column source text;
`;
