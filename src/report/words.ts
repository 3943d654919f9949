/** Times as reports print them: the same for every reader. */

/** For example "2026-03-01 14:05 UTC". */
export function moment(instant: string): string {
  const time = new Date(instant);
  return Number.isNaN(time.getTime()) ? '–' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
