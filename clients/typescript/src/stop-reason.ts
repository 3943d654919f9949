/** Reason why an objective has ended, as its field `stopReason` says. */
export const StopReason = { RUNNING: 0, SATISFIED: 1, STOPPED: 2, EXHAUSTED: 3 } as const;
