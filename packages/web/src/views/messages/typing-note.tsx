import type { App } from '../../data/app.ts';
import { conversationKey, conversationOf } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { nameOf } from '../parts/names.ts';

/** Who is writing in the private conversation that is shown. */
export function TypingNote({ app, narrow }: { readonly app: App; readonly narrow: Narrow }) {
  const conversation = conversationOf(narrow);
  const ids = conversation && app.state.typing.value.get(conversationKey(conversation));
  const names = [...(ids ?? [])].map((id) => nameOf(app.state, id));
  return (
    <p class="typing" role="status">
      {names.length > 0 && texts.messages.typing(names)}
    </p>
  );
}
