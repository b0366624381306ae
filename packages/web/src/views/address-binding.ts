import { effect } from '@preact/signals';

import type { App } from '../data/app.ts';
import { parsePlace } from '../data/place.ts';

/**
 * Binds the place to the address in the browser: back, forward, reload and pasted links work by themselves.
 *
 * @returns ends it
 */
export function bindAddress(app: App): () => void {
  const follow = (): void => {
    app.navigate(parsePlace(location.hash));
  };
  follow();
  addEventListener('hashchange', follow);
  const stop = effect(() => {
    const address = app.addressOf(app.place.value);
    const current = app.addressOf(parsePlace(location.hash));
    if (address !== current) history.pushState(undefined, '', address);
  });
  return () => {
    removeEventListener('hashchange', follow);
    stop();
  };
}
