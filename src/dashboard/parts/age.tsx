import { signal } from '@preact/signals';
import { ago, dayAndTime } from './formats.ts';

const TICK_MS = 10_000;

const now = signal(new Date());
setInterval(() => {
  now.value = new Date();
}, TICK_MS);

/** How long ago a time of the service was, with day and time on hover. Keeps itself up to date. */
export function Age({ time }: { readonly time: string }) {
  const then = new Date(time);
  return (
    <time dateTime={time} title={dayAndTime(then)}>
      {ago(then, now.value)}
    </time>
  );
}
