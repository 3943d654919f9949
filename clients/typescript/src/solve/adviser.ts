/** Reports what a person can act on while a search goes on. */
import type { Advice } from './defaults.ts';
import { FollowedSearch, type SearchState } from './followed-search.ts';
import type { Session } from './session.ts';

/** Number of runs at which the service is asked first; it is asked again each time they have doubled. */
const FIRST_LOOK = 4;

/** Tells each sentence once. */
export class AdviceTeller {
  readonly #tell: (sentence: string) => void;
  readonly #told = new Set<string>();

  constructor(tell: (sentence: string) => void) {
    this.#tell = tell;
  }

  tell(advice: readonly Advice[]): void {
    for (const { sentence } of advice.filter((one) => !this.#told.has(one.sentence))) {
      this.#told.add(sentence);
      this.#tell(sentence);
    }
  }
}

/** Follows a search for advice alone. */
export class Adviser {
  readonly #session: Session;
  readonly #search: FollowedSearch;
  readonly #teller: AdviceTeller;
  #next = FIRST_LOOK;

  constructor(session: Session, tell: (sentence: string) => void) {
    this.#session = session;
    this.#search = new FollowedSearch(session);
    this.#teller = new AdviceTeller(tell);
    this.#teller.tell(session.advice);
  }

  /** Asks the service now and then. A question without an answer is not worth an error: the result has all advice. */
  async look(): Promise<void> {
    const { runs } = this.#session;
    if (runs.length < this.#next) return;
    this.#next = 2 * runs.length;
    try {
      await this.#session.refresh();
      await this.#search.refresh();
      this.#teller.tell(adviceIn(this.#search.state));
    } catch {
      // It may be away.
    }
  }
}

/** Advice of the service on the target sets of a search; advice that several share is given once. */
export function adviceIn({ states }: SearchState): readonly Advice[] {
  const all = [...states.values()].flatMap(({ advice = [] }) => advice);
  return [...new Map(all.map(({ kind, sentence }) => [sentence, { kind, sentence }])).values()];
}
