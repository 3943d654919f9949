import { signal } from '@preact/signals';
import type { ComponentType, FunctionComponent } from 'preact';

/** A component whose code is loaded when it is first shown; empty until then. If that fails, it says what to do. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  const hasFailed = signal(false);
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
          hasFailed.value = true;
        },
      );
    }
    return hasFailed.value ? <Failed /> : null;
  };
}

/** Browsers remember that a file failed, so only a reload tries again. */
function Failed() {
  return (
    <p class="fault" role="alert">
      This part could not be loaded. Once the service can be reached,{' '}
      <button type="button" onClick={() => location.reload()}>
        reload the page
      </button>
    </p>
  );
}
