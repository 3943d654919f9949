/** The picture that answers the question of the objective, and every output, run by run. */
import { PAPER } from '../presentation/colours.ts';
import { openOutputs } from '../presentation/columns.ts';
import { NO_OTHERS, toDistanceData, toOtherDistances } from '../presentation/distance-data.ts';
import { drawDistances } from '../presentation/distance-drawing.ts';
import { isFit, worstFirst } from '../presentation/distances.ts';
import { frontRows } from '../presentation/front-rows.ts';
import { wantedText } from '../presentation/margin.ts';
import { areFew } from '../presentation/others.ts';
import { type DrawnRuns, drawFront, drawOutput, drawValue } from '../presentation/run-drawings.ts';
import { placesOf, rowsByKind } from '../presentation/run-points.ts';
import { bestSoFar } from '../presentation/value-so-far.ts';
import { outputLabel } from '../presentation/values.ts';
import { type Block, type Chart, heading, paragraph } from './document.ts';
import type { Subject } from './source.ts';

/** As on the page. */
const LEAST_RUNS = 3;
/** The outputs that miss most. */
const MOST_OUTPUTS = 12;

export function chartBlocks(subject: Subject): readonly Block[] {
  const { head, columns, all } = subject;
  const otherCount = all.others.columns.count;
  const withOthers = areFew(otherCount, columns.count);
  const shown = withOthers ? all.columns : columns;
  const known = shown.outputs[0]!.reduce((count, value) => count + Number(!Number.isNaN(value)), 0);
  if (known < LEAST_RUNS) return [];
  const runs = { columns: all.columns, otherCount, best: all.best };
  const drawn = { runs, rows: rowsByKind(runs, withOthers), places: placesOf(runs) };
  // The values of a fit are drawn with their data.
  const drawable = worstFirst(head).filter((j) => head.objectiveTypes[j] !== 'fit');
  const outputs = drawable.slice(0, MOST_OUTPUTS).sort((a, b) => a - b);
  return [
    heading('Charts'),
    { kind: 'charts', charts: [mainChart(subject, drawn, withOthers)] },
    ...(outputs.length === 0 ? [] : [heading('Outputs, run by run', 3)]),
    ...(outputs.length === 0
      ? []
      : [
          {
            kind: 'charts' as const,
            charts: outputs.map((j) => ({
              drawing: drawOutput(head, drawn, j, false, PAPER),
              caption: `${outputLabel(head, j)}: ${wantedText(head, j)}`,
              isWide: false,
            })),
          },
          paragraph(
            `Green: meets the target. A ring marks the best run, a cross at the top a run that failed.${withOthers && otherCount > 0 ? ' Runs before run 1, in grey, are cases of the trial and runs of other objectives.' : ''}`,
            'hint',
          ),
        ]),
    ...(outputs.length < drawable.length
      ? [paragraph(`The ${outputs.length} outputs that miss most, of ${drawable.length}.`, 'hint')]
      : []),
  ];
}

function mainChart({ head, columns, distances, all }: Subject, drawn: DrawnRuns, withOthers: boolean): Chart {
  const open = openOutputs(head);
  const [first, second] = open;
  const chart = (drawing: Chart['drawing'], caption: string) => ({ drawing, caption, isWide: true });
  if (first !== undefined && second !== undefined) {
    const front = frontRows(drawn.runs, head, open);
    return chart(drawFront(head, drawn, front, [first, second], PAPER), 'The front so far');
  }
  if (first !== undefined && distances.worst.includes(0)) {
    const best = bestSoFar(columns, distances, head, first);
    return chart(
      drawValue(head, drawn, first, { own: columns, best }, PAPER),
      `Best ${outputLabel(head, first)} so far among runs that meet all other targets`,
    );
  }
  const measure = isFit(head) ? 'misfit' : 'worst';
  return chart(
    drawDistances(
      toDistanceData(head, columns, distances, measure, withOthers ? toOtherDistances(all.others, measure) : NO_OTHERS),
      head.projectName,
      PAPER,
    ),
    measure === 'misfit' ? 'How far each run is from the data' : 'How far each run misses its targets, in tolerances',
  );
}
