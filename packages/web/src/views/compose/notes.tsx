import { limits } from '@parley/api/limits';

import type { Caution } from '../../data/compose-checks.ts';
import { report } from '../../data/notices.ts';
import { perform } from '../../data/operation.ts';
import { maySubscribeOthers } from '../../data/policies.ts';
import type { Person, Stream } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import type { Composer } from './composer.ts';

/** Characters left from which on they are shown. */
const shownLeft = 500;

/** These are told while a person is still choosing only once the person tried to send. */
const toldLate: ReadonlySet<string> = new Set(['no-stream', 'no-topic', 'no-people', 'uploading']);

type Note = {
  readonly text: string;
  readonly isRefusal?: boolean;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
};

function refusalOf({ obstacle, wasTried }: Composer): Note | undefined {
  const { value } = obstacle;
  if (value === undefined || (toldLate.has(value.kind) && !wasTried.value)) return undefined;
  const { deactivated, obstacles, tooLong } = texts.compose;
  switch (value.kind) {
    case 'deactivated':
      return { text: deactivated(value.names.join(', ')), isRefusal: true };
    case 'too-long':
      return { text: tooLong(value.excess), isRefusal: true };
    default:
      return { text: obstacles[value.kind], isRefusal: true };
  }
}

/** @param people empty: oneself */
function subscribing({ app }: Composer, stream: Stream, people: readonly Person[]): Note['action'] {
  const { is_guest } = app.state.self.value;
  if (people.length === 0 ? is_guest : !maySubscribeOthers(app.state)) return undefined;
  return {
    label: people.length === 0 ? texts.compose.subscribe : texts.compose.subscribeThem,
    run: () => {
      const principals = people.map(({ user_id }) => user_id);
      const subscriptions = [{ name: stream.name }];
      report(perform(app, 'POST /users/me/subscriptions', { subscriptions, principals }));
    },
  };
}

function noteOf(composer: Composer, caution: Caution): Note {
  const { mentionsEverybody, sendToEverybody, unsubscribedPeople, unsubscribedSelf } =
    texts.compose;
  switch (caution.kind) {
    case 'everybody': {
      const action = { label: sendToEverybody, run: () => composer.send(true) };
      return {
        text: mentionsEverybody(caution.count),
        action: composer.wasTried.value ? action : undefined,
      };
    }
    case 'unsubscribed-self':
      return { text: unsubscribedSelf, action: subscribing(composer, caution.stream, []) };
    case 'unsubscribed-people': {
      const names = caution.people.map(({ full_name }) => full_name).join(', ');
      return {
        text: unsubscribedPeople(names),
        action: subscribing(composer, caution.stream, caution.people),
      };
    }
  }
}

/** Why the text cannot be sent, and what its writer should know before it is. */
export function Notes({ composer }: { readonly composer: Composer }) {
  const left = limits.contentMaxCodePoints - Array.from(composer.field.text.value).length;
  const notes = [
    refusalOf(composer),
    left >= 0 && left < shownLeft ? { text: texts.compose.left(left) } : undefined,
    ...composer.cautions.value.map((caution) => noteOf(composer, caution)),
  ].filter((note) => note !== undefined);
  return (
    <div class="compose-notes" role="status">
      {notes.map(({ text, isRefusal, action }) => (
        <p key={text} class={isRefusal === true ? 'row refused' : 'row'}>
          {text}
          {action !== undefined && (
            <button type="button" onClick={action.run}>
              {action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
