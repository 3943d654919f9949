/** A fit: its data with the curve of the best run, and what they tell about the inputs. */
import { useEffect, useId, useState } from 'preact/hooks';
import { StopReason } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';
import { useAnswer } from '../further/answer.tsx';
import type { Run } from '../state/history.ts';
import { DataSet } from './data-set.tsx';
import './fit.css';
import { type FitSet, fitSetsOf } from '../../../../presentation/fit-points.ts';
import { Parameters } from './parameters.tsx';
import { WorstPoints } from './worst-points.tsx';

/** More charts are shown on request. */
const SHOWN = 4;

export function Fit({ run }: { readonly run: Run }) {
  const id = useId();
  const head = run.head.value;
  const [confidence, setConfidence] = useState(95);
  const answered = useAnswer(
    run,
    async () => {
      const path = { objective_id: run.objectiveId };
      return (await service.call('getFit', { path, query: { confidence } })).body;
    },
    false,
  );
  const { answer } = answered;
  const hasEnded = head.stopReason !== StopReason.RUNNING;
  // While it runs, every answer is soon out of date: a reader asks for it.
  useEffect(() => {
    if (hasEnded && answer === undefined) answered.ask();
  }, [hasEnded]);
  const sets = fitSetsOf(head, answer?.fit?.outputs ?? []);
  return (
    <section class="fit" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Fit</h2>
      <Charts sets={sets} project={head.projectName} confidence={answer?.confidence} />
      <WorstPoints head={head} />
      <Parameters head={head} answered={answered} confidence={confidence} onConfidence={setConfidence} />
    </section>
  );
}

interface ChartsProps {
  readonly sets: readonly FitSet[];
  readonly project: string;
  readonly confidence: number | undefined;
}

function Charts({ sets, project, confidence }: ChartsProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? sets : sets.slice(0, SHOWN);
  return (
    <>
      {shown.map((set, k) => (
        <DataSet key={k} set={set} project={project} confidence={confidence} />
      ))}
      {shown.length < sets.length && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {sets.length} data sets
        </button>
      )}
    </>
  );
}
