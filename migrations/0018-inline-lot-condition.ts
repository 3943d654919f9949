/** The condition of a trigger is planned anew with every statement that may fire it, and a function in it is read and inlined each time. */
export const sql = `
-- The same iterations as those with inverse_lot(iteration) > 0 (0015): 5 percent of the processor time of a cycle.
create or replace trigger count_added after insert on inverses
  for each row when (new.iteration % 16 = 0 or new.iteration in (1, 2, 4, 8)) execute function count_lot();
`;
