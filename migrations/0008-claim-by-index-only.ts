/**
 * The plan of a claim is kept, and a session whose plan was made beside a short queue joined by hash: it read the whole
 * queue for every claim once that had grown. Without these joins the jobs are fetched by their ids, however many wait.
 */
export const sql = `
alter function claim_suggestion_jobs set enable_hashjoin = off;
alter function claim_suggestion_jobs set enable_mergejoin = off;
`;
