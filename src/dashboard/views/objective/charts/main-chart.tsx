/** The picture that answers the question of an objective: the front, the misfit of a fit, or how far runs miss their targets. */
import { useMemo } from 'preact/hooks';
import { colours } from '../../../parts/colours.ts';
import { counted, short } from '../../../parts/formats.ts';
import type { Drawing } from '../../../parts/plot.ts';
import { Link } from '../../../shell/link.tsx';
import type { Head } from '../columns.ts';
import { Distance } from '../distance/distance.tsx';
import type { Judged } from '../judged.ts';
import { bestText } from '../nearness.ts';
import { addressOf } from '../tabs/tabs.ts';
import { ChartFigure } from './chart-figure.tsx';
import { frontRows } from './front-rows.ts';
import { outputLabel } from './model-lines.ts';
import { pointSeries } from './run-points.ts';
import type { ChartData } from './use-charts.ts';

export function MainChart({ data, judged }: { readonly data: ChartData; readonly judged: Judged }) {
  const head = data.all.run.head.value;
  const open = openOutputs(head);
  if (open.length > 1) return <FrontChart data={data} open={open} />;
  // Without a target there is no distance to anything; the outputs run by run say it all.
  if (head.objectives.every((target) => target === null)) return null;
  return (
    <>
      <p>{bestText(head)}.</p>
      <Distance judged={judged} others={data.all.others} />
    </>
  );
}

/** To be minimized or maximized without a target; none in a fit, whose gaps have no target either. */
function openOutputs({ objectives, objectiveTypes, fits }: Head): number[] {
  if (fits != null) return [];
  const isOpen = (j: number) => objectives[j] === null && ['minimize', 'maximize'].includes(objectiveTypes[j]!);
  return Array.from(objectives.keys()).filter(isOpen);
}

function FrontChart({ data, open }: { readonly data: ChartData; readonly open: readonly number[] }) {
  const { all, runs, rows } = data;
  const head = all.run.head.value;
  const [across, up] = open as [number, number];
  const palette = colours.value;
  const { front, drawing } = useMemo(() => {
    const front = frontRows(runs.value, head, open);
    const { outputs } = runs.value.columns;
    const at = (j: number) => Float64Array.from(front, (row) => outputs[j]![row]!);
    const points = pointSeries(runs.value, rows.value, { xs: outputs[across]!, ys: outputs[up]! }, palette);
    const drawing: Drawing = {
      title: `${head.projectName}: front`,
      x: { label: outputLabel(head, across) },
      y: { label: outputLabel(head, up) },
      series: [
        ...points.filter(({ shape }) => shape !== 'top-cross'),
        {
          label: 'On the front',
          colour: palette.accent,
          kind: 'points',
          shape: 'dot',
          xs: at(across),
          ys: at(up),
          rows: front,
        },
      ],
    };
    return { front, drawing };
  }, [runs.value, rows.value, palette]);
  const { outputs } = runs.value.columns;
  return (
    <section class="charts-part" aria-labelledby="main-front-title">
      <h2 id="main-front-title">The front so far</h2>
      <ChartFigure
        all={all}
        drawing={drawing}
        height={380}
        label={`The front: ${outputLabel(head, up)} against ${outputLabel(head, across)}, ${counted(front.length, 'run')} of ${runs.value.columns.count}`}
        isLarge
        textOf={(row) => open.map((j) => `${outputLabel(head, j)} ${short(outputs[j]![row]!)}`).join(', ')}
      >
        <span>
          {counted(front.length, 'run')} on the front, marked blue; the best compromise has a ring.{' '}
          <Link to={addressOf(all.run.objectiveId, 'front')} keepsPlace>
            Points that the models expect, and how it grew
          </Link>
        </span>
      </ChartFigure>
    </section>
  );
}
