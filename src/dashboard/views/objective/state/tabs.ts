/** The parts of an objective beside its targets, each with an address. Needs no browser. */
import { type Columns, type Head, hasFailed, seeksFront } from '../../../../presentation/columns.ts';

const TABS = {
  runs: 'Runs',
  charts: 'Charts',
  fit: 'Fit',
  front: 'Front',
  insight: 'Insight',
  notes: 'Notes',
  log: 'Data log',
} as const;

export type TabName = keyof typeof TABS;

export const titleOf = (tab: TabName): string => TABS[tab];

/** A chart of fewer runs shows nothing that the table does not. */
const RUNS_OF_A_CHART = 3;

export function isFitted({ fits }: Pick<Head, 'fits'>): boolean {
  // An older process of the service, during an upgrade, does not send it.
  return fits != null;
}

/** Those that have something to show. */
export function tabsOf(head: Pick<Head, 'fits' | 'objectives' | 'objectiveTypes'>): readonly TabName[] {
  const hasFit = isFitted(head);
  return (Object.keys(TABS) as TabName[]).filter((tab) =>
    tab === 'fit' ? hasFit : tab !== 'front' || seeksFront(head),
  );
}

/** The one that the plain address shows: the picture that answers the question, once there are runs to draw. */
export function firstTab(head: Pick<Head, 'fits' | 'objectives' | 'objectiveTypes'>, columns: Columns): TabName {
  let drawn = 0;
  for (let row = 0; row < columns.count && drawn < RUNS_OF_A_CHART; row++) {
    if (!hasFailed(columns, row) && !Number.isNaN(columns.outputs[0]![row]!)) drawn += 1;
  }
  if (drawn < RUNS_OF_A_CHART) return 'runs';
  return tabsOf(head).find((tab) => tab === 'fit' || tab === 'front') ?? 'charts';
}

/** The tab of an address, and what follows it: of "runs/7" the tab is "runs" and the rest "7". */
export function readPart(part: string): { readonly tab: string; readonly rest: string } {
  const [tab = '', ...rest] = part.split('/');
  return { tab, rest: rest.join('/') };
}

/** @param part  such as "runs/7"; default: the plain address */
export function addressOf(objectiveId: number, part = ''): string {
  return `/page/objectives/${objectiveId}${part === '' ? '' : `/${part}`}`;
}
