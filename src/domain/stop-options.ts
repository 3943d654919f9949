/** When a client lets an objective end before its attempts are used up. */

/** The largest improvement that counts as none, a share of the scale of the output, unless a client states another. */
export const DEFAULT_IMPROVEMENT_BELOW = 0.005;
