import { type JudgeUrl, makeUrlJudge } from '../outside/webhooks/target-guard.ts';
import type { Config } from '../settings/config.ts';

/** Judges the URLs of webhooks, which commands create too. */
export function webhookUrlJudge({ webhooks }: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: webhooks.allowPrivate });
}

/** Judges the URLs of evaluators. */
export function evaluatorUrlJudge({ evaluators }: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: false, allowedHosts: evaluators.allowPrivate });
}
