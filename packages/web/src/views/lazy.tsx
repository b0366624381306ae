import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import { texts } from '../texts.ts';

/** @returns a component that is loaded when it is first shown */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  return function Lazy(props: Props) {
    const loaded = useSignal<{ readonly View: ComponentType<Props> } | undefined>(undefined);
    const hasFailed = useSignal(false);
    const begin = (): void => {
      hasFailed.value = false;
      loading ??= load();
      loading.then(
        (View) => {
          loaded.value = { View };
        },
        () => {
          loading = undefined;
          hasFailed.value = true;
        },
      );
    };
    useEffect(begin, []);
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
