import type { App } from '../../data/app.ts';

/** What can be done with a message, shown on it: react, edit, move, quote and so on. */
export function MessageActions({
  app,
  messageId,
}: {
  readonly app: App;
  readonly messageId: number;
}) {
  return <div aria-label={String(app.lists.store.find(messageId)?.value.timestamp)} />;
}
