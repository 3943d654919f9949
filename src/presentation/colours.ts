/** The colours of charts: those of the page follow its theme, those of paper are its light ones. */

export const COLOUR_NAMES = [
  'ground',
  'raised',
  'line',
  'text',
  'muted',
  'accent',
  'met',
  'met-area',
  'unmet',
  'mark',
] as const;
export type Colours = Readonly<Record<(typeof COLOUR_NAMES)[number], string>> & { readonly font: string };

/** As in the light theme of the page (styles/tokens.css). */
export const PAPER: Colours = {
  ground: '#ffffff',
  raised: '#f5f7fa',
  line: '#d5dae1',
  text: '#16191d',
  muted: '#535c68',
  accent: '#0b57d0',
  met: '#17733a',
  'met-area': '#cfe8d5',
  unmet: '#b3261e',
  mark: '#5b6573',
  font: 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
};
