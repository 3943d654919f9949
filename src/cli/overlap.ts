/** --overlap of the commands that rotate: how long the old key or secret keeps working. */
import { MAXIMUM_OVERLAP_SECONDS } from '../application/accounts/rotate-key.ts';
import { CommandError } from './command.ts';

/** For parseArgs; default: a day. */
export const overlapOption = { type: 'string', default: '86400' } as const;

/** Whole seconds. Throws CommandError. */
export function toOverlapSeconds(overlap: string): number {
  if (/^\d{1,9}$/.test(overlap) && Number(overlap) <= MAXIMUM_OVERLAP_SECONDS) return Number(overlap);
  throw new CommandError(`--overlap takes whole seconds from 0 to ${MAXIMUM_OVERLAP_SECONDS}, not "${overlap}".`);
}
