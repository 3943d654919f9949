/**
 * The number of cases beside them: counting them reads every value of a set. Sets of before have null. Doubles hardly
 * compress, and trying to takes longer than writing them.
 */
export const sql = `
alter table output_case_sets add column case_count integer;
alter table output_case_sets alter column output_cases set storage external;
alter table projects alter column input_cases set storage external;
`;
