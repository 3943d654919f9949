import { signal } from '@preact/signals';
import { ago, dayAndTime } from '../../presentation/formats.ts';

const TICK_MS = 10_000;

const now = signal(new Date());
setInterval(() => {
  now.value = new Date();
}, TICK_MS);

/** The age of a timestamp of the service, with day and time on hover. Keeps itself up to date. */
export function Age({ time }: { readonly time: string }) {
  const then = new Date(time);
  return (
    <time dateTime={time} title={dayAndTime(then)}>
      {ago(then, now.value)}
    </time>
  );
}
