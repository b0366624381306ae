import { limits } from '@parley/api/limits';

import { report } from '../../data/notices.ts';
import { texts } from '../../texts.ts';
import type { Composer } from './composer.ts';

/** Characters left from which on they are shown. */
const shownLeft = 500;

/** Why the text cannot be sent, and what its writer should know before it is. */
export function Notes({ composer }: { readonly composer: Composer }) {
  const { obstacle, cautions, wasTried, field } = composer;
  const left = limits.contentMaxCodePoints - Array.from(field.text.value).length;
  const isTold = obstacle.value?.isUnfinished !== true || wasTried.value;
  return (
    <div class="compose-notes" role="status">
      {isTold && obstacle.value && <p class="row refused">{obstacle.value.text}</p>}
      {left >= 0 && left < shownLeft && <p class="row">{texts.compose.left(left)}</p>}
      {cautions.value.map(({ text, mustConfirm = false, action }) => (
        <p key={text} class="row">
          {text}
          {mustConfirm && wasTried.value && (
            <button type="button" onClick={() => composer.send(true)}>
              {texts.compose.sendToEverybody}
            </button>
          )}
          {action && (
            <button type="button" onClick={() => report(action.run())}>
              {action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
