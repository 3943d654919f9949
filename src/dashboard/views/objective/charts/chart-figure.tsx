/** A chart of runs with what is pointed at, and a click that leads to the run. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { capitalized } from '../../../../presentation/formats.ts';
import type { Drawing, Range } from '../../../../presentation/plot.ts';
import { PlotBox } from '../../../parts/plot-box.tsx';
import { SaveChart } from '../../../parts/save-chart.tsx';
import { navigate } from '../../../shell/router.ts';
import type { JudgedAll } from '../state/judged.ts';
import { keyAt, nameAt } from '../state/run-key.ts';
import { addressOf } from '../state/tabs.ts';

interface Props {
  readonly all: JudgedAll;
  readonly drawing: Drawing;
  readonly height: number;
  readonly label: string;
  readonly zoom?: Signal<Range | undefined>;
  /** Text about a run. */
  textOf(row: number): string;
  /** Whether it can be saved. Small charts side by side have no room for buttons. */
  readonly isLarge?: boolean;
  readonly children?: ComponentChildren;
}

export function ChartFigure({ all, drawing, height, label, zoom, textOf, isLarge = false, children }: Props) {
  const pointed = useSignal<number | undefined>(undefined);
  return (
    <figure class={isLarge ? 'chart-large' : 'chart-small'}>
      <figcaption>
        {children}
        {isLarge && <SaveChart drawing={() => drawing} />}
      </figcaption>
      <PlotBox
        drawing={drawing}
        height={height}
        label={label}
        zoom={zoom}
        onPoint={(row) => (pointed.value = row)}
        onPick={(row) => navigate(addressOf(all.run.objectiveId, `runs/${keyAt(all, row)}`), { keepsPlace: true })}
      />
      <Pointed all={all} row={pointed} textOf={textOf} />
    </figure>
  );
}

function Pointed({ all, row, textOf }: Pick<Props, 'all' | 'textOf'> & { readonly row: Signal<number | undefined> }) {
  const { value } = row;
  return (
    <p class="chart-pointed hint">{value !== undefined && `${capitalized(nameAt(all, value))}: ${textOf(value)}`}</p>
  );
}
