import type { Choice } from './choice.ts';
import type { Judged, JudgedAll } from './judged.ts';
import type { OthersSource } from './read-others.ts';

/** What every part of an objective may show. */
export interface PartProps {
  /** The objective with only its own runs. */
  readonly judged: Judged;
  /** All runs of its trial: the others first, then its own. */
  readonly all: JudgedAll;
  readonly source: OthersSource;
  readonly choice: Choice;
  /** What follows the tab in the address, such as "7" in "runs/7". */
  readonly rest: string;
}
