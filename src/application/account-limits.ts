/** What one account may hold at a time; 0 means any number. */
export interface AccountLimits {
  readonly openObjectives: number;
  /** Suggestions asked for and not computed yet. */
  readonly queuedSuggestions: number;
  /** Input cases of one project. */
  readonly cases: number;
}
