import { signal } from '@preact/signals';
import type { ComponentType, FunctionComponent } from 'preact';

/** A component whose code is loaded when it is first shown; empty until then. A failed load is retried. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  let isLoading = false;
  return (props) => {
    const Shown = loaded.value;
    if (Shown !== undefined) return <Shown {...props} />;
    if (!isLoading) {
      isLoading = true;
      load().then(
        (component) => {
          loaded.value = component;
        },
        () => {
          isLoading = false;
        },
      );
    }
    return null;
  };
}
