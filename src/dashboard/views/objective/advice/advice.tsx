import type { Advice as OneAdvice } from '../../../../../clients/typescript/src/index.ts';
import { rowOf } from '../../../../presentation/columns.ts';
import { RowActions } from '../actions/row-actions.tsx';
import { targetAt } from '../corrections/correcting.ts';
import type { JudgedAll } from '../state/judged.ts';

type AdvisedRun = OneAdvice['runs'][number];

/** Advice from the runs that a person can act on, with the actions on the run to check. Empty without advice. */
export function Advice({ judged }: { readonly judged: JudgedAll }) {
  // An older process of the service, during an upgrade, sends none.
  const advice = judged.run.head.value.advice ?? [];
  if (advice.length === 0) return null;
  return (
    <section aria-labelledby="advice-title">
      <h2 id="advice-title">Advice</h2>
      <ul>
        {advice.map(({ sentence, runs }) => (
          <li key={sentence}>
            {sentence}
            {runs?.[0] && <ActionsOn judged={judged} advised={runs[0]} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Nothing until the run is known to the page. */
function ActionsOn({ judged: { run, others }, advised }: { readonly judged: JudgedAll; readonly advised: AdvisedRun }) {
  const { sources } = others.value;
  const columns = run.columns.value;
  const isOwn = advised.objectiveId === run.objectiveId;
  const row = isOwn
    ? rowAfter(sources.length, columns, advised.iteration!)
    : sources.findIndex(
        ({ objectiveId, number }) =>
          objectiveId === advised.objectiveId && number === (advised.caseNumber ?? advised.iteration),
      );
  if (row < 0 || row >= columns.count) return null;
  const name = sources[row]?.name ?? `run ${advised.iteration}`;
  return (
    <RowActions
      name={name}
      isExcluded={columns.excluded[row] === 1}
      target={() => targetAt(run, row, isOwn ? undefined : sources[row])}
    />
  );
}

/** The row of an own run among all, where those of others come first; -1 where it is not shown. */
function rowAfter(first: number, { iterations, count }: Parameters<typeof rowOf>[0], iteration: number): number {
  const row = rowOf({ iterations: iterations.subarray(first), count: count - first }, iteration);
  return row < 0 ? -1 : first + row;
}
