import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { followedMove, stayBehind } from '../../data/moves.ts';
import type { Move } from '../../data/moves.ts';
import { conversationOf, isSameConversation } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation, topicName } from '../parts/names.ts';

/** Says quietly that the messages which were read moved here, and leads back. */
export function MovedLine({ app, narrow }: { readonly app: App; readonly narrow: Narrow }) {
  const move = followedMove.value;
  const isHere = move !== undefined && isSameConversation(conversationOf(narrow), move.to);
  return (
    <p class="moved-line" role="status">
      {isHere && <Told app={app} move={move} />}
    </p>
  );
}

function Told({ app, move }: { readonly app: App; readonly move: Move }) {
  // It is said until the reader goes elsewhere.
  useEffect(
    () => () => {
      followedMove.value = undefined;
    },
    [],
  );
  return (
    <>
      {texts.messages.movedTo(nameOfConversation(app.state, move.to))}{' '}
      <button type="button" class="plain" onClick={() => stayBehind(app, move)}>
        {texts.messages.stay(topicName(move.from.topic))}
      </button>
    </>
  );
}
