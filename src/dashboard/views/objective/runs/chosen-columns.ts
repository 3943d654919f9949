/** Chooses the inputs and outputs that the table of runs shows, remembered by the browser for all objectives of a project. */
import { computed, effect, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type AxisKey, allKeys } from '../state/axes.ts';
import type { Choice } from '../state/choice.ts';
import type { Run } from '../state/history.ts';

export type ColumnChoice = Pick<Choice, 'keys' | 'chosenKeys'>;

export function useChosenColumns(run: Run, choice: Choice): ColumnChoice {
  const columns = useMemo(() => openColumns(run, choice), [run, choice]);
  useEffect(() => columns.keep(), [columns]);
  return columns;
}

function openColumns(run: Run, choice: Choice): ColumnChoice & { keep(): () => void } {
  const { projectId } = run.head.peek();
  const name = `backsolve-columns-${projectId}`;
  const known = new Set<string>(allKeys(run.head.peek()));
  const chosenKeys = signal(read(name)?.filter((key): key is AxisKey => known.has(key)));
  const keys = computed(() => chosenKeys.value ?? choice.keys.value);
  return { keys, chosenKeys, keep: () => effect(() => write(name, chosenKeys.value)) };
}

function read(name: string): readonly string[] | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : undefined;
  } catch {
    return undefined;
  }
}

/** Without storage the choice lasts as long as the view. */
function write(name: string, keys: readonly AxisKey[] | undefined): void {
  try {
    if (keys === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(keys));
  } catch {
    // The view keeps it.
  }
}
