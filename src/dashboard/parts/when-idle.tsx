import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Latest, in milliseconds, at which what waits for an idle moment is shown all the same. */
const LATEST_MS = 1_000;

/** Shows its children when the browser has nothing else to do; until then an empty box of about their height. */
export function WhenIdle({
  class: className,
  children,
}: {
  readonly class: string;
  readonly children: ComponentChildren;
}) {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    // Not in every browser.
    if (typeof requestIdleCallback !== 'function') {
      const timer = setTimeout(() => setIdle(true), 50);
      return () => clearTimeout(timer);
    }
    const handle = requestIdleCallback(() => setIdle(true), { timeout: LATEST_MS });
    return () => cancelIdleCallback(handle);
  }, []);
  return <div class={isIdle ? undefined : className}>{isIdle && children}</div>;
}
