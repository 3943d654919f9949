import type { Choice } from './choice.ts';
import type { Judged, JudgedAll } from './judged.ts';
import type { OthersSource } from './read-others.ts';

/** Everything that a part of an objective may show. */
export interface PartProps {
  /** The objective with only its own runs. */
  readonly judged: Judged;
  /** All runs of its trial: the others first, then its own. */
  readonly all: JudgedAll;
  readonly source: OthersSource;
  readonly choice: Choice;
  /** Rest of the address after the tab, such as "7" in "runs/7". */
  readonly rest: string;
}
