/** People find an objective again by a label, and put it out of their lists by archiving it. Neither changes the search. */
export const sql = `
alter table objectives add column label text, add column archived_at timestamptz;
`;
