/** The charts of an objective: its only entry, loaded when the tab is opened. The first answers the question, the others follow. */
import { useMemo } from 'preact/hooks';
import { counted } from '../../../../presentation/formats.ts';
import { Coordinates } from '../coordinates/coordinates.tsx';
import type { PartProps } from '../state/part.ts';
import { Against } from './against.tsx';
import './charts.css';
import { Contour } from './contour.tsx';
import { MainChart } from './main-chart.tsx';
import { OverRuns } from './over-runs.tsx';
import { Shares } from './shares.tsx';
import { makeChartData } from './use-charts.ts';
import { WhenIdle } from './when-idle.tsx';

/** A chart of fewer runs shows nothing that the table does not. */
const RUNS_OF_A_CHART = 3;

export function Charts({ judged, all, choice }: PartProps) {
  const data = useMemo(() => makeChartData(all), [all]);
  const { outputs } = all.run.columns.value;
  const known = outputs[0]!.reduce((count, value) => count + Number(!Number.isNaN(value)), 0);
  if (known < RUNS_OF_A_CHART) {
    return (
      <p class="hint">
        Charts appear with the third run that has an output; so far {counted(known, 'run has', 'runs have')} one. They
        will show how near the runs come to the targets, every output run by run and over every input, and what the
        models expect between the runs.
      </p>
    );
  }
  return (
    <div class="charts">
      <MainChart data={data} judged={judged} />
      <WhenIdle>
        <OverRuns data={data} />
        <Against data={data} />
        <Contour data={data} />
        <Shares data={data} />
        <Coordinates judged={judged} choice={choice} />
      </WhenIdle>
    </div>
  );
}
