/** Clients that play one objective after the other, and what they have seen. */
import { Client } from './client.ts';
import { type Journal, play, prepare, type Setup } from './play.ts';
import { randomFrom } from './random.ts';

export interface PlayersOptions {
  readonly ports: readonly number[];
  readonly key: string;
  readonly clients: number;
  readonly seed: number;
  /** Steps after which a client stops its objective. */
  readonly stepLimit: number;
  /** Past it a client gives up on a call. */
  readonly timeLimitMs: number;
  /** Share of calls that are sent twice at once. */
  readonly doubled: number;
  /** Whether outputs go to the open iteration under a key, instead of to the iteration by its id. */
  readonly loadsOpenOutput?: boolean;
}

export class Players {
  readonly journals: Journal[] = [];
  /** When each step was done, Unix milliseconds, ascending. */
  readonly stepTimes: number[] = [];
  /** The same by client. */
  readonly stepTimesOf: readonly number[][];
  /** Calls sent again, by reason. */
  readonly retries = new Map<string, number>();
  /** Answers that no client could expect, and calls given up. */
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
    this.stepTimesOf = this.#clients.map(() => []);
  }

  /** Calls sent so far, repetitions included. */
  get requests(): number {
    return this.#clients.reduce((sum, { sent }) => sum + sent, 0);
  }

  prepare(): Promise<Setup> {
    return prepare(this.#clients[0]!);
  }

  /** Every client takes one objective after the other until `isEnough`; objectives begun are played to their end. */
  async play(setup: Setup, isEnough: () => boolean): Promise<void> {
    const { stepLimit, loadsOpenOutput = false } = this.#options;
    const loop = async (client: Client, i: number) => {
      while (!isEnough()) {
        const journal: Journal = {
          index: this.journals.length,
          objectiveId: 0,
          steps: [],
          seen: new Map(),
          failedComputations: 0,
          isEnded: false,
        };
        this.journals.push(journal);
        const onStep = () => {
          const now = Date.now();
          this.stepTimes.push(now);
          this.stepTimesOf[i]!.push(now);
        };
        try {
          await play(client, setup, journal, { stepLimit, loadsOpenOutput, onStep });
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
