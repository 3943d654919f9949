import type { Oneself } from '../../../../clients/typescript/src/index.ts';

/** What the sections of the view are given. */
export interface SectionProps {
  readonly me: Oneself;
  /** Reads it again. */
  refresh(): void;
}
