/** The processes of the evaluators, and a supervisor that starts the next one when one has ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import path from 'node:path';
import type { EvaluatorOptions } from './evaluator.ts';
import { journalFile } from './journal.ts';

const PROCESS = new URL('evaluator.ts', import.meta.url).pathname;
const PAUSE_MS = 300;

export interface EvaluatorMember {
  readonly index: number;
  /** Differs from start to start, so that a lease tells which process holds it. */
  name: string;
  child: ChildProcess | undefined;
  isFrozen: boolean;
}

export type SharedOptions = Omit<EvaluatorOptions, 'name' | 'journal' | 'jobs' | 'seed'> & {
  readonly folder: string;
  readonly evaluators: number;
  readonly seed: number;
};

export class EvaluatorFleet {
  readonly members: readonly EvaluatorMember[];
  /** Evaluators that ended on their own. */
  readonly complaints: string[] = [];
  starts = 0;
  readonly #options: SharedOptions;
  readonly #errors: WriteStream;
  #isClosing = false;

  constructor(options: SharedOptions) {
    this.#options = options;
    this.#errors = createWriteStream(path.join(options.folder, 'evaluators.log'), { flags: 'a' });
    this.members = Array.from({ length: options.evaluators }, (_, index) => ({
      index,
      name: '',
      child: undefined,
      isFrozen: false,
    }));
    // An interrupted run leaves no processes behind.
    process.once('exit', () => {
      for (const { child } of this.members) child?.kill('SIGKILL');
    });
    for (const member of this.members) this.#start(member);
  }

  freeze(member: EvaluatorMember): void {
    member.isFrozen = true;
    member.child?.kill('SIGSTOP');
  }

  thaw(member: EvaluatorMember): void {
    member.isFrozen = false;
    member.child?.kill('SIGCONT');
  }

  /** Lets every evaluator finish what it holds. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      this.members.map(async (member) => {
        const { child } = member;
        if (child === undefined) return;
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        this.thaw(member);
        await exited;
      }),
    );
    this.#errors.end();
  }

  #start(member: EvaluatorMember): void {
    const { folder, evaluators: _, seed, ...shared } = this.#options;
    this.starts += 1;
    member.name = `rig-${member.index}/${this.starts}`;
    const options: EvaluatorOptions = {
      ...shared,
      name: member.name,
      seed: seed + 7_919 * this.starts,
      journal: journalFile(folder, member.index),
      // Every fourth runs two inputs at a time.
      jobs: member.index % 4 === 3 ? 2 : 1,
    };
    const child = spawn(process.execPath, [PROCESS, JSON.stringify(options)], {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: path.join(folder, 'compile-cache') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr!.pipe(this.#errors, { end: false });
    member.child = child;
    member.isFrozen = false;
    const { name } = member;
    child.once('exit', (code, signal) => {
      // By SIGKILL ends whom the chaos or an input kills; by SIGTERM who has hardly started when everything ends.
      const isExpected = signal === 'SIGKILL' || (this.#isClosing && (code === 0 || signal === 'SIGTERM'));
      if (!isExpected) {
        this.complaints.push(`evaluator ${name} ended unexpectedly: ${signal ?? `code ${code}`}, see evaluators.log`);
      }
      member.child = undefined;
      if (!this.#isClosing) setTimeout(() => this.#isClosing || this.#start(member), PAUSE_MS);
    });
  }
}
