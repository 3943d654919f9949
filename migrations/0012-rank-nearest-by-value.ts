/** Of equally near runs the nearest has the best value of an output without a target: objectives that may have one are judged again. */
export const sql = `
update objectives set judged_through = null, nearest_iteration = null, nearest_case = null, nearest_case_input = null,
  nearest_case_output = null, version = version + 1
where objective_types && array['minimize', 'maximize'];
`;
