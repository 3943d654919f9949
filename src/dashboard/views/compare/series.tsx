/** The colour, line pattern and point shape of each objective. */
import { computed } from '@preact/signals';
import { colours } from '../../parts/colours.ts';
import { MOST } from './comparison.ts';

export const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

/** Paths around 0, in CSS pixels: circle, square, triangle, diamond, cross and plus. */
export const SHAPES: readonly string[] = [
  'M4 0A4 4 0 1 1-4 0A4 4 0 1 1 4 0',
  'M-3.4-3.4H3.4V3.4H-3.4Z',
  'M0-4.4L4 3.2H-4Z',
  'M0-4.8L4.8 0L0 4.8L-4.8 0Z',
  'M-4-4L4 4M-4 4L4-4',
  'M-4.8 0H4.8M0-4.8V4.8',
];

/** Width and height of the points where there are too many to draw shapes. */
export const SPOTS: readonly (readonly [number, number])[] = [
  [3, 3],
  [6, 2],
  [2, 6],
  [4, 4],
  [8, 1],
  [1, 8],
];

/** Colours from the style sheet, which change with the theme. */
export const seriesColours = computed((): readonly string[] => {
  // Read again when the theme has changed.
  if (colours.value.ground === '') return [];
  const style = getComputedStyle(document.documentElement);
  return Array.from({ length: MOST }, (_, k) => style.getPropertyValue(`--series-${k + 1}`).trim());
});

/** The colour, line and shape of the objective at this position. */
export function SeriesKey({ of }: { readonly of: number }) {
  return (
    <svg class="series-key" viewBox="-20 -6 40 12" aria-hidden="true" fill="none" stroke={seriesColours.value[of]}>
      <path d="M-20 0H20" stroke-width="2" stroke-dasharray={DASHES[of]!.join(' ')} />
      <path d={SHAPES[of]} stroke-width="1.5" />
    </svg>
  );
}
