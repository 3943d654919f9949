/** The picture that answers the question of an objective: the front, the misfit of a fit, or how far runs miss their targets. */
import { useMemo } from 'preact/hooks';
import { openOutputs } from '../../../../presentation/columns.ts';
import { counted, short } from '../../../../presentation/formats.ts';
import { frontRows } from '../../../../presentation/front-rows.ts';
import { bestText } from '../../../../presentation/nearness.ts';
import { drawFront } from '../../../../presentation/run-drawings.ts';
import { outputLabel } from '../../../../presentation/values.ts';
import { colours } from '../../../parts/colours.ts';
import { Link } from '../../../shell/link.tsx';
import { Distance } from '../distance/distance.tsx';
import type { Judged } from '../state/judged.ts';
import { addressOf } from '../state/tabs.ts';
import { ChartFigure } from './chart-figure.tsx';
import type { ChartData } from './use-charts.ts';
import { ValueChart } from './value-chart.tsx';

export function MainChart({ data, judged }: { readonly data: ChartData; readonly judged: Judged }) {
  const head = data.all.run.head.value;
  const open = openOutputs(head);
  if (open.length > 1) return <FrontChart data={data} open={open} />;
  const [j] = open;
  return (
    <>
      <p>{bestText(head)}.</p>
      {j !== undefined && judged.distances.value.worst.includes(0) ? (
        <ValueChart data={data} judged={judged} j={j} />
      ) : (
        <Distance judged={judged} others={data.all.others} />
      )}
    </>
  );
}

function FrontChart({ data, open }: { readonly data: ChartData; readonly open: readonly number[] }) {
  const { all, runs, rows } = data;
  const head = all.run.head.value;
  const [across, up] = open as [number, number];
  const palette = colours.value;
  const { front, drawing } = useMemo(() => {
    const front = frontRows(runs.value, head, open);
    const drawing = drawFront(head, { runs: runs.value, rows: rows.value }, front, [across, up], palette);
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
