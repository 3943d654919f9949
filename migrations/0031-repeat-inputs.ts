/** Runs at one input that differ. */
export const sql = `
-- repeat_of: for a run that repeats an input, the inverse that was run there first; 0: a case or a run of another objective was. null: a
-- new input.
alter table inverses add column repeat_of bigint;
-- standing: how surely the best input meets the targets, where the objective asks for more than one run; null elsewhere.
alter table explanations add column standing jsonb;
`;
