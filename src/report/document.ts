/** A report as data: what it says, without how it is printed. Everything is plain text. */
import type { Picture } from '../presentation/drawing.ts';
import type { Drawing } from '../presentation/plot.ts';

export type Look = 'met' | 'missed' | 'best' | 'muted';

/** A cell, perhaps with a meaning that colour repeats. */
export type Cell = string | { readonly text: string; readonly look: Look };

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

export interface Table {
  readonly kind: 'table';
  /** Description of the contents, for people who do not see them. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Printed small. */
  readonly isDense?: boolean;
  /** Whether the last column is left empty, wide enough to write by hand. */
  readonly hasRoom?: boolean;
}

export interface Chart {
  readonly drawing: Drawing;
  readonly caption: string;
  /** Across the page, with a legend. */
  readonly isWide: boolean;
}

export type Block =
  | { readonly kind: 'heading'; readonly text: string; readonly level: 2 | 3 }
  | { readonly kind: 'text'; readonly text: string; readonly look?: 'lead' | 'hint' | 'warning' }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  /** A code for cameras, which has the address. */
  | { readonly kind: 'scan'; readonly address: string; readonly text: string; readonly picture: Picture }
  | { readonly kind: 'charts'; readonly charts: readonly Chart[] }
  | Table;

export interface Download {
  readonly text: string;
  readonly href: string;
}

export interface Report {
  readonly title: string;
  /** Facts below the title. */
  readonly facts: readonly string[];
  readonly state: string;
  /** Time of the last change of what it reports, ISO 8601. */
  readonly changedAt: string;
  /** Other forms of it, for readers of the HTML: addresses relative to its own. */
  readonly downloads?: readonly Download[];
  readonly blocks: readonly Block[];
}

export const heading = (text: string, level: 2 | 3 = 2): Block => ({ kind: 'heading', text, level });
export const paragraph = (text: string, look?: 'lead' | 'hint' | 'warning'): Block => ({
  kind: 'text',
  text,
  ...(look !== undefined && { look }),
});
/** Nothing where there are no items. */
export const list = (items: readonly string[]): readonly Block[] =>
  items.length === 0 ? [] : [{ kind: 'list', items }];
