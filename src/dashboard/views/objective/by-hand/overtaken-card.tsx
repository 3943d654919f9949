import { hasFailed, vectorAt } from '../../../../presentation/columns.ts';
import { dayAndTime, short, titled } from '../../../../presentation/formats.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { Fault } from '../../../parts/fault.tsx';
import { useSending } from '../../../parts/sending.ts';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
import { correcting, ownTarget } from '../corrections/correcting.ts';
import { readOutputs } from '../corrections/read-outputs.ts';
import type { Run } from '../state/history.ts';
import type { Overtaken } from './overtaken.ts';
import type { TypedOutputs } from './typed.ts';

interface OvertakenCardProps {
  readonly run: Run;
  readonly typed: TypedOutputs;
  readonly overtaken: Overtaken;
}

/** Outputs that were typed too late, beside the stored ones, until the user decides what to do with them. */
export function OvertakenCard({ run, typed, overtaken }: OvertakenCardProps) {
  const { inverseId, row } = overtaken;
  const iteration = run.columns.value.iterations[row]!;
  const titleId = `overtaken-${inverseId}`;
  return (
    <article class="hand-card" aria-labelledby={titleId}>
      <h3 id={titleId}>Run {iteration}: your outputs were not loaded</h3>
      <p role="status">{whatHappened(run, overtaken)} Yours are kept here.</p>
      <Comparison run={run} overtaken={overtaken} />
      <Choices run={run} typed={typed} overtaken={overtaken} />
    </article>
  );
}

function whatHappened(run: Run, { row, kind }: Overtaken): string {
  const columns = run.columns.value;
  if (kind === 'given up') return 'The run was given up in the meantime.';
  const time = columns.loadedAt[row]!;
  const when = Number.isNaN(time) ? '' : ` (${dayAndTime(new Date(time))})`;
  const what = hasFailed(columns, row) ? 'has reported that this run failed' : 'has loaded other outputs of this run';
  return `Another person or program ${what}${when}.`;
}

function Comparison({ run, overtaken: { row, texts } }: Omit<OvertakenCardProps, 'typed'>) {
  const head = run.head.value;
  const stored = vectorAt(run.columns.value.outputs, row);
  return (
    <table class="paste-preview">
      <caption class="visually-hidden">Stored outputs and yours</caption>
      <TableHead titles={['Output', 'Stored', 'Yours']} numbers={['Stored', 'Yours']} />
      <tbody>
        {outputNames(head).map((name, j) => (
          <tr key={name}>
            <th scope="row">{titled(name, head.outputUnits?.[j])}</th>
            <td class="number" title={stored && String(stored[j])}>
              {stored === undefined ? 'none' : short(stored[j]!)}
            </td>
            <td class="number">{texts[j]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Choices({ run, typed, overtaken: { inverseId, row, texts, kind } }: OvertakenCardProps) {
  const sending = useSending();
  const columns = run.columns.value;
  const discard = () => typed.remove(inverseId);
  const { output, faults } = readOutputs(texts);
  const correct = () => {
    const target = ownTarget(run, columns.iterations[row]!);
    correcting.value = { target, kind: 'output', texts, afterwards: discard };
  };
  const addAsCase = () =>
    sending.send(async () => {
      const { modelId, projectId, trialId } = run.head.value;
      const path = { model_id: modelId, project_id: projectId, trial_id: trialId };
      const inputs = [vectorAt(columns.inputs, row)!];
      const source = `run ${columns.iterations[row]} after it was given up`;
      await service.call('addCases', { path, body: { inputs, outputs: [output!], source } });
      discard();
      run.refresh();
    });
  return (
    <>
      {kind === 'given up' && faults !== undefined && <p class="hint">{[...faults.values()][0]}</p>}
      <Fault error={sending.error} />
      <p class="hand-buttons">
        {kind === 'given up' ? (
          <button type="button" disabled={sending.isBusy || output === undefined} onClick={() => void addAsCase()}>
            Add mine as a case
          </button>
        ) : (
          <button type="button" onClick={correct}>
            Correct the stored result with mine…
          </button>
        )}
        <button type="button" onClick={discard}>
          Discard mine
        </button>
      </p>
    </>
  );
}
