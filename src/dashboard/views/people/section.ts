import type { Oneself } from '../../../../clients/typescript/src/index.ts';

/** Properties of every section of the view. */
export interface SectionProps {
  readonly me: Oneself;
  /** Reads it again. */
  refresh(): void;
}
