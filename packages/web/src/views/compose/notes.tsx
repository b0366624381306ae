import { limits } from '@parley/api/limits';

import type { App } from '../../data/app.ts';
import type { Caution, Obstacle } from '../../data/compose-checks.ts';
import { subscribe } from '../../data/compose-checks.ts';
import type { Person } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { report } from '../../data/notices.ts';
import type { Composer } from './composer.ts';

/** Characters left from which on they are shown. */
const shownLeft = 500;

/** These are told while a person is still choosing only once the person tried to send. */
const toldLate: ReadonlySet<Obstacle['kind']> = new Set(['no-stream', 'no-topic', 'no-people']);

function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'deactivated':
      return texts.compose.deactivated(obstacle.names.join(', '));
    case 'too-long':
      return texts.compose.tooLong(obstacle.excess);
    default:
      return texts.compose.obstacles[obstacle.kind];
  }
}

/** Why the text cannot be sent, and what its writer should know before it is. */
export function Notes({ app, composer }: { readonly app: App; readonly composer: Composer }) {
  const obstacle = composer.obstacle.value;
  const wasTried = composer.wasTried.value;
  const left = limits.contentMaxCodePoints - composer.field.text.value.length;
  return (
    <div class="compose-notes" role="status">
      {obstacle !== undefined && (wasTried || !toldLate.has(obstacle.kind)) && (
        <p class="refused">{describeObstacle(obstacle)}</p>
      )}
      {left < shownLeft && left >= 0 && <p>{texts.compose.left(left)}</p>}
      {composer.cautions.value.map((caution) => (
        <CautionNote key={caution.kind} app={app} composer={composer} caution={caution} />
      ))}
    </div>
  );
}

function CautionNote({
  app,
  composer,
  caution,
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly caution: Caution;
}) {
  switch (caution.kind) {
    case 'everybody':
      return (
        <p>
          {texts.compose.mentionsEverybody(caution.count)}{' '}
          {composer.wasTried.value && (
            <button type="button" onClick={() => composer.send(true)}>
              {texts.compose.sendToEverybody}
            </button>
          )}
        </p>
      );
    case 'unsubscribed-self':
      return (
        <SubscribeNote
          app={app}
          streamId={caution.streamId}
          people={[]}
          text={texts.compose.unsubscribedSelf}
        />
      );
    case 'unsubscribed-people':
      return (
        <SubscribeNote
          app={app}
          streamId={caution.streamId}
          people={caution.people}
          text={texts.compose.unsubscribedPeople(
            caution.people.map(({ full_name }) => full_name).join(', '),
          )}
        />
      );
  }
}

function SubscribeNote({
  app,
  streamId,
  people,
  text,
}: {
  readonly app: App;
  readonly streamId: number;
  /** Empty: oneself. */
  readonly people: readonly Person[];
  readonly text: string;
}) {
  const { is_guest, can_subscribe_other_users } = app.state.self.value;
  const canSubscribe = people.length === 0 ? !is_guest : can_subscribe_other_users;
  return (
    <p>
      {text}{' '}
      {canSubscribe && (
        <button
          type="button"
          onClick={() => {
            report(subscribe(app, streamId, people));
          }}
        >
          {people.length === 0 ? texts.compose.subscribe : texts.compose.subscribeThem}
        </button>
      )}
    </p>
  );
}
