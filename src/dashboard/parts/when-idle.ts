/** Milliseconds after which the work is done even if the browser is never idle. */
const LATEST_MS = 1_000;

/** Does the work when the browser is idle. Returns a function that cancels it. */
export function whenIdle(work: () => void, latestMs = LATEST_MS): () => void {
  // Not every browser has it.
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: latestMs });
  return () => cancelIdleCallback(handle);
}
