import { dismissNotice, notices } from '../../data/notices.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';

/** Where notices are shown and said to screen readers. One for the whole page, always there. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class="toast" data-kind={kind}>
          {text}
          <button
            type="button"
            class="plain"
            aria-label={texts.parts.dismiss}
            onClick={() => dismissNotice(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
