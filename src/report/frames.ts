/** Layout of the charts in reports: across the page, and two beside each other. */
import type { Frame } from '../presentation/drawing.ts';
import type { Chart } from './document.ts';

const COMMON = {
  hasTitle: false,
  // Thousands of points look the same as those that are drawn.
  grain: 2,
} as const;
const WIDE: Frame = {
  ...COMMON,
  ...{ width: 960, height: 410, left: 90, right: 940, top: 15, bottom: 335, ticks: 6, hasLegend: true },
};
const LABELLED: Frame = {
  ...COMMON,
  ...{ width: 470, height: 270, left: 85, right: 455, top: 12, bottom: 215, ticks: 4, hasLegend: false },
};
/** Without words beside the axes. */
const NARROW: Frame = { ...LABELLED, height: 215, left: 70, bottom: 185 };

export function frameOf({ drawing, isWide }: Chart): Frame {
  if (isWide) return WIDE;
  return drawing.x.label === '' && drawing.y.label === '' ? NARROW : LABELLED;
}
