/**
 * Cookies ignore ports, so programs on other ports of the host receive them. A session therefore has a second secret, which only its
 * page holds; of it, too, only a SHA-256 is stored. Sessions without one are from before and end: their users sign in again.
 */
export const sql = `
alter table browser_sessions add column page_hash bytea;
`;
