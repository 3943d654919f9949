/** Values on a line: the range seen, the target interval, the best and the latest value. */
import './strip.css';

export interface StripProps {
  /** A description in words. */
  readonly label: string;
  readonly seen: { readonly low: number; readonly high: number } | undefined;
  /** null: no end. */
  readonly lower: number | null;
  readonly upper: number | null;
  readonly best: number | undefined;
  readonly latest: number | undefined;
}

export function Strip({ label, seen, lower, upper, best, latest }: StripProps) {
  const known = [lower, upper, best, latest, seen?.low, seen?.high].filter(
    (value): value is number => typeof value === 'number' && Math.abs(value) <= 1e307,
  );
  const least = Math.min(...known);
  const width = Math.max(...known) - least;
  // In percent, with room at both sides so that a mark at an end can be seen.
  const at = (value: number) => (width > 0 ? 3 + (94 * (value - least)) / width : 50);
  const clamp = (value: number) => Math.min(100, Math.max(0, at(value)));
  const from = lower === null ? 0 : clamp(lower);
  const to = upper === null ? 100 : clamp(upper);
  const mark = (name: string, value: number | undefined) =>
    value !== undefined && <line class={name} x1={`${clamp(value)}%`} x2={`${clamp(value)}%`} y1="0" y2="18" />;
  return (
    <svg class="strip" role="img" aria-label={label} height="18">
      <rect class="strip-track" width="100%" y="4" height="10" />
      {to >= from && (
        <rect class="strip-wanted" x={`${from}%`} width={`${Math.max(0.7, to - from)}%`} y="2" height="14" />
      )}
      {seen && <line class="strip-seen" x1={`${clamp(seen.low)}%`} x2={`${clamp(seen.high)}%`} y1="9" y2="9" />}
      {mark('strip-latest', latest)}
      {mark('strip-best', best)}
    </svg>
  );
}
