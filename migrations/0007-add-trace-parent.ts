/** The trace of the request that opened a job, as W3C Trace Context writes it, so that the worker's spans join it. */
export const sql = `
alter table suggestion_jobs add column trace_parent text;
`;
