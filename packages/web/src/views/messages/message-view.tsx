import type { App } from '../../data/app.ts';
import type { Narrow } from '../../data/narrow.ts';
import { MessageActions } from './message-actions.tsx';

export function MessageView({
  app,
  narrow,
  near,
}: {
  readonly app: App;
  readonly narrow: Narrow;
  readonly near: number | undefined;
}) {
  const list = app.lists.open(narrow);
  return (
    <ol aria-label={String(near)}>
      {list.ids.value.map((id) => (
        <li key={id}>
          <MessageActions app={app} messageId={id} />
        </li>
      ))}
    </ol>
  );
}
