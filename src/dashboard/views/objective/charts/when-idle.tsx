import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { whenIdle } from '../../../parts/when-idle.ts';

/** Shows its children when the browser is idle. */
export function WhenIdle({ children }: { readonly children: ComponentChildren }): ComponentChildren {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return isIdle && children;
}
