/** Plays an agent that is killed at random moments, forgets everything, repeats its calls and sends nonsense. */
import { setTimeout as delay } from 'node:timers/promises';
import { makeRandom, type RandomStream } from '../src/optimizer/numerics/random.ts';
import type { Agent, ToolAnswer } from './agent-client.ts';
import { nonsenseFor, RECTANGLE, type ScriptedProblem } from './scripted-agent.ts';

export interface KilledOptions {
  readonly seed: number;
  /** Number of calls that are interrupted. */
  readonly kills: number;
  /** Number of calls that are made twice. */
  readonly repeats: number;
  /** Another process, or another connection to a service. */
  start(): Promise<Agent>;
  /** Ends it without warning; default: kills the process. */
  kill?(agent: Agent): void;
  readonly problem?: ScriptedProblem;
  /** Its name; agents that work together have different ones. */
  readonly name?: string;
}

export interface Played {
  readonly problem: number;
  readonly isSolved: boolean;
  readonly kills: number;
  readonly repeats: number;
  readonly nonsense: number;
  /** Messages of nonsense that should have been refused. */
  readonly accepted: readonly string[];
  /** Different inputs that it ran. */
  readonly inputs: ReadonlySet<string>;
}

/** Plays until the problem is over and everything has happened as often as wanted. */
export async function playKilledAgent(options: KilledOptions): Promise<Played> {
  const player = new Player(options, await options.start());
  while (!(await player.live())) await player.restart();
  return player.end();
}

/** Calls that are interrupted, and calls that are made twice. */
const SHARE = 0.4;
/** Longer than most calls take. */
const LONGEST_MS = 150;

class Killed extends Error {}

class Player {
  readonly #options: KilledOptions;
  readonly #random: RandomStream;
  readonly #inputs = new Set<string>();
  readonly #accepted: string[] = [];
  #agent: Agent;
  #kills = 0;
  #repeats = 0;
  #nonsense = 0;
  #problem = 0;

  constructor(options: KilledOptions, agent: Agent) {
    this.#options = options;
    this.#agent = agent;
    this.#random = makeRandom(options.seed);
  }

  /** Whether it came to its end without being killed. */
  async live(): Promise<boolean> {
    const { problem = RECTANGLE, kills, repeats, name = 'agent' } = this.#options;
    try {
      for (;;) {
        this.#problem = (await this.#call('state_problem', problem.statement)).data.problem;
        const next = await this.#call('next_inputs', { problem: this.#problem, agent: name });
        for (const one of next.data.runs) await this.#run(problem, one);
        if (next.data.isOver === true && this.#kills >= kills && this.#repeats >= repeats) return true;
      }
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  }

  async restart(): Promise<void> {
    await this.#agent.close().catch(() => undefined);
    this.#agent = await this.#options.start();
  }

  async end(): Promise<Played> {
    const { data } = await this.#agent.call('read_problem', { problem: this.#problem });
    await this.#agent.close();
    return {
      problem: this.#problem,
      isSolved: data.status === 'solved',
      kills: this.#kills,
      repeats: this.#repeats,
      nonsense: this.#nonsense,
      accepted: this.#accepted,
      inputs: this.#inputs,
    };
  }

  async #run(
    problem: ScriptedProblem,
    { ticket, inputs }: { readonly ticket: string; readonly inputs: Record<string, number> },
  ) {
    await this.#talkNonsense(ticket);
    this.#inputs.add(JSON.stringify(Object.values(inputs)));
    await this.#call('report_outputs', { ticket, outputs: problem.run(inputs) });
  }

  /** Throws Killed when it was killed during the call. */
  async #call(tool: string, args: object): Promise<ToolAnswer> {
    const { kills, repeats } = this.#options;
    if (this.#kills < kills && this.#random.uniform() < SHARE) return await this.#killDuring(tool, args);
    if (this.#repeats < repeats && this.#random.uniform() < SHARE) {
      this.#repeats += 1;
      await this.#agent.call(tool, args);
    }
    const answer = await this.#agent.call(tool, args);
    if (answer.isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${answer.text}`);
    return answer;
  }

  /** Before the request has arrived, while it is worked on, or after it was answered. */
  async #killDuring(tool: string, args: object): Promise<never> {
    this.#kills += 1;
    void this.#agent.call(tool, args).catch(() => undefined);
    await delay(LONGEST_MS * this.#random.uniform());
    (this.#options.kill ?? killProcess)(this.#agent);
    throw new Killed();
  }

  async #talkNonsense(ticket: string): Promise<void> {
    const all = nonsenseFor(this.#problem, ticket);
    const [tool, args] = all[this.#random.below(all.length)]!;
    const { isError } = await this.#agent.call(tool, args);
    this.#nonsense += 1;
    if (!isError) this.#accepted.push(`${tool} ${JSON.stringify(args)}`);
  }
}

function killProcess({ pid }: Agent): void {
  if (pid !== null) process.kill(pid, 'SIGKILL');
}
