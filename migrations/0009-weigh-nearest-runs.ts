/** The nearest run counts weights and priorities: objectives that state them are judged again. */
export const sql = `
update objectives set judged_through = null, nearest_iteration = null, nearest_case = null, nearest_case_input = null,
  nearest_case_output = null, version = version + 1
where options ?| array['weights', 'priorities'];
`;
