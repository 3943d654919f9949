/** A fit: its data with the curve of the best run, and what they tell about the inputs. */
import { useId, useState } from 'preact/hooks';
import type { Run } from '../history.ts';
import { DataSet } from './data-set.tsx';
import './fit.css';
import { type FitSet, fitSetsOf } from './points.ts';
import { WorstPoints } from './worst-points.tsx';

/** More charts are shown on request. */
const SHOWN = 4;

export function Fit({ run }: { readonly run: Run }) {
  const id = useId();
  const head = run.head.value;
  const sets = fitSetsOf(head, []);
  return (
    <section class="fit" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Fit</h2>
      <Charts sets={sets} project={head.projectName} />
      <WorstPoints head={head} />
    </section>
  );
}

function Charts({ sets, project }: { readonly sets: readonly FitSet[]; readonly project: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? sets : sets.slice(0, SHOWN);
  return (
    <>
      {shown.map((set, k) => (
        <DataSet key={k} set={set} project={project} />
      ))}
      {shown.length < sets.length && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {sets.length} data sets
        </button>
      )}
    </>
  );
}
