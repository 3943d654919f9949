import type { Config } from '../config.ts';
import { type JudgeUrl, makeUrlJudge } from '../webhooks/target-guard.ts';

/** Which URLs webhooks may have; commands create webhooks too. */
export function webhookUrlJudge({ webhooks }: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: webhooks.allowPrivate });
}

/** Which URLs evaluators may have. */
export function evaluatorUrlJudge({ evaluators }: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: false, allowedHosts: evaluators.allowPrivate });
}
