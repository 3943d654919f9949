/**
 * Derivatives of the outputs of a run by its inputs, which an evaluation may report: outputs x inputs in one row, NaN where not known.
 * Of a set of cases one row each. null: none. They belong to the output they came with: a corrected one has none.
 */
export const sql = `
alter table inverses add column jacobian double precision[];
alter table evaluations add column jacobian double precision[];
alter table output_case_sets add column jacobians double precision[];
alter table output_case_sets alter column jacobians set storage external;
`;
