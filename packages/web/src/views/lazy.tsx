import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import { texts } from '../texts.ts';

/** @returns a component that is loaded when it is first shown */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = signal<{ readonly View: ComponentType<Props> } | undefined>(undefined);
  const hasFailed = signal(false);
  const begin = (): void => {
    hasFailed.value = false;
    load().then(
      (View) => {
        loaded.value = { View };
      },
      () => {
        hasFailed.value = true;
      },
    );
  };
  return function Lazy(props: Props) {
    useEffect(() => {
      if (loaded.peek() === undefined) begin();
    }, []);
    if (loaded.value !== undefined) {
      const { View } = loaded.value;
      return <View {...props} />;
    }
    return (
      <div class="blank" role="status">
        {hasFailed.value ? (
          <button type="button" onClick={begin}>
            {texts.shell.again}
          </button>
        ) : (
          <span class="spinner" />
        )}
      </div>
    );
  };
}
