/** The module of the thread for designs that take long: one task in, one answer out. */
import '../earlier-node.ts';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { threadId } from 'node:worker_threads';
import { initialDesign } from '../optimizer/initial-design.ts';
import { answerOf } from './answer.ts';
import type { DesignTask, ThreadAnswer } from './protocol.ts';

yieldToOthers();

export default function run({ request }: DesignTask): ThreadAnswer {
  return answerOf(threadId, () => initialDesign(request));
}

/** On a machine with few cores everything else has precedence. On Linux each thread has its own priority. */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without /proc or the permission, the design only competes a little more.
  }
}
