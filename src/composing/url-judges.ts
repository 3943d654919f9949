import type { Config } from '../config.ts';
import { type JudgeUrl, makeUrlJudge } from '../webhooks/target-guard.ts';

/** Judges the URLs of webhooks, which commands create too. */
export function webhookUrlJudge({ webhooks }: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: webhooks.allowPrivate });
}

/** Judges the URLs of evaluators. */
export function evaluatorUrlJudge({ evaluators }: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: false, allowedHosts: evaluators.allowPrivate });
}
