import { dismissNotice, notices } from '../../data/notices.ts';
import { texts } from '../../texts.ts';
import { IconButton } from './icon-button.tsx';

/** Where notices are shown and said to screen readers. One for the whole page, always there. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class="toast" data-kind={kind}>
          {text}
          <IconButton icon="close" label={texts.parts.dismiss} onClick={() => dismissNotice(id)} />
        </div>
      ))}
    </div>
  );
}
