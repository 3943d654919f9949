/** The name of a run that an answer of the models is about, with a link to it: it may be a case, or a run of another objective. */
import type { KnownRun } from '../../../../../clients/typescript/src/index.ts';
import { Link } from '../../../shell/link.tsx';
import { runKey } from '../state/run-key.ts';
import { addressOf } from '../state/tabs.ts';

type Named = Pick<KnownRun, 'caseNumber' | 'iteration' | 'objectiveId' | 'objectiveNumber'>;

/** For example "case 3", "run 4", or of another objective "run 1 of objective 2". @param ownId  of the objective that is shown */
export function nameOfFound({ caseNumber, iteration, objectiveId, objectiveNumber }: Named, ownId: number): string {
  if (caseNumber !== null) return `case ${caseNumber}`;
  // An older process of the service, during an upgrade, does not send the objective.
  const isOther = objectiveId != null && objectiveId !== ownId;
  return `run ${iteration}${isOther ? ` of objective ${objectiveNumber}` : ''}`;
}

/** Its page among the runs of the objective that is shown, which judges it. */
export function FoundRun({ run, ownId }: { readonly run: Named; readonly ownId: number }) {
  const { caseNumber, iteration, objectiveId } = run;
  const isOwn = caseNumber === null && (objectiveId ?? ownId) === ownId;
  const key = runKey(caseNumber ?? iteration!, isOwn ? undefined : { objectiveId });
  return <Link to={addressOf(ownId, `runs/${key}`)}>{nameOfFound(run, ownId)}</Link>;
}
