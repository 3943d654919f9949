/** Clients that play one objective after another, and their observations. */
import { Client } from './client.ts';
import { type Journal, play, prepare, type Setup } from './play.ts';
import { randomFrom } from './random.ts';

export interface PlayersOptions {
  readonly ports: readonly number[];
  readonly key: string;
  readonly clients: number;
  readonly seed: number;
  /** A client stops its objective after so many inverses. */
  readonly inverseLimit: number;
  /** After this time a client gives up on a call. */
  readonly timeLimitMs: number;
  /** The share of calls sent twice simultaneously. */
  readonly doubled: number;
  /** Whether outputs go to the open iteration under an Idempotency-Key instead of to an inverse by its id. */
  readonly loadsOpenOutput?: boolean;
}

export class Players {
  readonly journals: Journal[] = [];
  /** Times at which inverses were finished, in Unix milliseconds, ascending. */
  readonly inverseTimes: number[] = [];
  /** The same by client. */
  readonly inverseTimesOf: readonly number[][];
  /** Retries, by reason. */
  readonly retries = new Map<string, number>();
  /** Answers that break the interface, and abandoned calls. */
  readonly complaints: string[] = [];
  readonly #clients: readonly Client[];
  readonly #options: PlayersOptions;

  constructor(options: PlayersOptions) {
    this.#options = options;
    this.#clients = Array.from(
      { length: options.clients },
      (_, i) =>
        new Client({
          ...options,
          random: randomFrom(options.seed + 1_000 * (i + 1)),
          onRetry: (reason) => this.retries.set(reason, (this.retries.get(reason) ?? 0) + 1),
        }),
    );
    this.inverseTimesOf = this.#clients.map(() => []);
  }

  /** Calls sent so far, including retries. */
  get requests(): number {
    return this.#clients.reduce((sum, { sent }) => sum + sent, 0);
  }

  prepare(): Promise<Setup> {
    return prepare(this.#clients[0]!);
  }

  /** Every client plays one objective after another until `isEnough`; those already begun are played to the end. */
  async play(setup: Setup, isEnough: () => boolean): Promise<void> {
    const { inverseLimit, loadsOpenOutput = false } = this.#options;
    const loop = async (client: Client, i: number) => {
      while (!isEnough()) {
        const journal: Journal = {
          index: this.journals.length,
          objectiveId: 0,
          inverses: [],
          seen: new Map(),
          failedComputations: 0,
          isEnded: false,
        };
        this.journals.push(journal);
        const onInverse = () => {
          const now = Date.now();
          this.inverseTimes.push(now);
          this.inverseTimesOf[i]!.push(now);
        };
        try {
          await play(client, setup, journal, { inverseLimit, loadsOpenOutput, onInverse });
        } catch (error) {
          this.complaints.push(`objective number ${journal.index}: ${(error as Error).message}`);
        }
      }
    };
    await Promise.all(this.#clients.map(loop));
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}
