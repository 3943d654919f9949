import { dayAndTime } from '../../../../presentation/formats.ts';

/** A timestamp of the service as day and time in the reader's zone; a dash for none. */
export function Moment({ time, none = '–' }: { readonly time: string | null; readonly none?: string }) {
  if (time === null) return <>{none}</>;
  return <time dateTime={time}>{dayAndTime(new Date(time))}</time>;
}
