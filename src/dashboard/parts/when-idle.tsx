import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Latest, in milliseconds, at which what waits for an idle moment is done all the same. */
const LATEST_MS = 1_000;

/** Works when the browser has nothing else to do. Returns what takes the work back. */
export function whenIdle(work: () => void, latestMs = LATEST_MS): () => void {
  // Not in every browser.
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: latestMs });
  return () => cancelIdleCallback(handle);
}

interface Props {
  readonly class: string;
  readonly children: ComponentChildren;
}

/** Shows its children when the browser has nothing else to do; until then an empty box of about their height. */
export function WhenIdle({ class: className, children }: Props) {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return <div class={isIdle ? undefined : className}>{isIdle && children}</div>;
}
