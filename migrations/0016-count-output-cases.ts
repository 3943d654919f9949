/** The number of cases beside them: counting them reads every value of a set. Sets of before have null. */
export const sql = `
alter table output_case_sets add column case_count integer;
`;
