import type { App } from '../../data/app.ts';

export function ComposeArea({ app }: { readonly app: App }) {
  return <section aria-label={app.place.value.view} />;
}
