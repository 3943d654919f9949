import type { CaseLimits } from './create-project.ts';

/** What one account may hold at a time; 0 means any number. */
export interface AccountLimits extends CaseLimits {
  readonly openObjectives: number;
  /** Suggestions asked for and not computed yet. */
  readonly queuedSuggestions: number;
}
