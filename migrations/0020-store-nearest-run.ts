/**
 * The run that comes nearest to an objective, so that no read of it has to judge thousands of cases. The cases of an objective
 * never change: nearest_case (zero-based) with its input and output is final. nearest_iteration is the nearest of the iterations
 * up to judged_through; a reader judges the later ones itself, so containers of the version before need not know about this.
 * judged_through is null until a worker has judged an objective of an earlier version.
 */
export const sql = `
alter table objectives
  add column nearest_case integer,
  add column nearest_case_input double precision[],
  add column nearest_case_output double precision[],
  add column nearest_iteration integer,
  add column judged_through integer;
create index objectives_unjudged on objectives (id) where judged_through is null;
`;
