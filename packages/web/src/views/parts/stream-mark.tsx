import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Stream, Subscription } from '../../data/state.ts';
import { Icon } from '../icon.tsx';

/** The sign before a stream's name, in the person's colour of it. */
export function StreamMark({ stream }: { readonly stream: Stream | Subscription }) {
  const element = useRef<HTMLSpanElement>(null);
  const color = 'color' in stream ? stream.color : undefined;
  useLayoutEffect(() => {
    // The page's policy admits no style attribute.
    element.current?.style.setProperty('--stream-color', color ?? 'currentColor');
  }, [color]);
  return (
    <span ref={element} class="stream-mark" aria-hidden="true">
      <Icon name={stream.invite_only ? 'lock' : 'hash'} />
    </span>
  );
}
