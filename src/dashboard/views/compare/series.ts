/** How the objectives are told apart: colour, pattern of the line, and shape of the points. */
import { computed } from '@preact/signals';
import { colours } from '../../parts/colours.ts';
import { MOST } from './comparison.ts';

export const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond' | 'cross' | 'plus';
export const SHAPES: readonly Shape[] = ['circle', 'square', 'triangle', 'diamond', 'cross', 'plus'];

/** Width and height of the points where there are too many to draw shapes. */
export const SPOTS: readonly (readonly [number, number])[] = [
  [3, 3],
  [6, 2],
  [2, 6],
  [4, 4],
  [8, 1],
  [1, 8],
];

/** Of the style sheet; change with the theme. */
export const seriesColours = computed((): readonly string[] => {
  // Read again when the theme has changed.
  if (colours.value.ground === '') return [];
  const style = getComputedStyle(document.documentElement);
  return Array.from({ length: MOST }, (_, k) => style.getPropertyValue(`--series-${k + 1}`).trim());
});

/** The outline of a shape around a place. */
export function drawShape(path: Path2D, shape: Shape, x: number, y: number, r: number): void {
  const line = (...points: readonly (readonly [number, number])[]) =>
    points.forEach(([dx, dy], i) => {
      if (i === 0) path.moveTo(x + dx * r, y + dy * r);
      else path.lineTo(x + dx * r, y + dy * r);
    });
  switch (shape) {
    case 'circle':
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
      break;
    case 'square':
      path.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
      break;
    case 'triangle':
      line([0, -1.1], [1, 0.8], [-1, 0.8], [0, -1.1]);
      break;
    case 'diamond':
      line([0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0], [0, -1.2]);
      break;
    case 'cross':
      line([-1, -1], [1, 1]);
      line([-1, 1], [1, -1]);
      break;
    case 'plus':
      line([-1.2, 0], [1.2, 0]);
      line([0, -1.2], [0, 1.2]);
      break;
  }
}
