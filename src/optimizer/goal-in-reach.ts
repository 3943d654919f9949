/** The goal that a search works on: that of the request, or one that says better what can be reached. */
import { withOneDirection } from './goal/one-direction.ts';
import { type Prepared, prepare } from './prepare.ts';
import { questOf } from './quests/quest-of.ts';
import { asAspiration, limitOutOfReach } from './search/limit-out-of-reach.ts';

/** As prepared, or prepared again with a limit that cannot be had as an aspiration. */
export function withLimitInReach(prepared: Prepared): Prepared {
  const { request } = prepared;
  if (request.noise || request.solutions || request.robustAim) return prepared;
  const j = limitOutOfReach(prepared, questOf(request).aim);
  if (j < 0) return prepared;
  const targets = request.goal.targets.with(j, asAspiration(request.goal.targets[j]!));
  return prepare({ ...request, goal: { ...request.goal, targets } });
}

/** The same, and one output without aspiration gets one. */
export function inReach(asked: Prepared): Prepared {
  const request = withOneDirection(asked.request);
  return withLimitInReach(request === asked.request ? asked : prepare(request));
}
