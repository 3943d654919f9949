import { useEffect, useMemo } from 'preact/hooks';
import { keepReading, type Live, type LiveOptions } from './live.ts';

/** Reads while the component is shown; restarts when a dependency changes. */
export function useLive<T>(options: LiveOptions<T>, dependencies: readonly unknown[]): Live<T> {
  const live = useMemo(() => keepReading(options), dependencies);
  useEffect(() => () => live.stop(), [live]);
  return live;
}
