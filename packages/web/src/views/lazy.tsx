import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

import { useReading } from './parts/waiting.tsx';

/**
 * @param isQuiet whether nothing shows that it is being loaded
 * @returns a component that is loaded when it is first shown
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isQuiet = false,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  return function Lazy(props: Props) {
    const { waiting } = useReading(async () => {
      loaded.value ??= await load();
    });
    const View = loaded.value;
    if (View !== undefined) return <View {...props} />;
    return isQuiet ? null : <div class="blank">{waiting}</div>;
  };
}
