import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import { Waiting } from './parts/waiting.tsx';

/**
 * @param isQuiet whether nothing shows that it is being loaded
 * @returns a component that is loaded when it is first shown
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isQuiet = false,
): ComponentType<Props> {
  const loaded = signal<{ readonly View: ComponentType<Props> } | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  const begin = (): void => {
    failure.value = undefined;
    load().then(
      (View) => {
        loaded.value = { View };
      },
      (error: unknown) => {
        failure.value = error;
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
    if (isQuiet) return null;
    return (
      <div class="blank">
        <Waiting failure={failure.value} onRetry={begin} />
      </div>
    );
  };
}
