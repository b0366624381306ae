import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { characterOf } from '../../data/emoji.ts';
import type { Emoji } from '../../data/emoji.ts';
import { quickTimes } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { formatAge } from '../parts/time.ts';

const t = texts.status;

const statusMax = 60;
/** Between what somebody does and until when. */
const divider = ' · ';

/** Sets what others read beside the person's name. Its end is said in it, and the server clears it then. */
export function StatusForm({ app, onClose }: { readonly app: App; readonly onClose: () => void }) {
  const { statuses, self, settings } = app.state;
  const { status_text: before = '', away } = statuses.value.get(self.value.user_id) ?? {};
  const text = useSignal(before.split(divider, 1)[0] ?? '');
  const ends = useMemo(
    () => quickTimes(new Date()).map(({ at }) => Math.floor(at.getTime() / 1_000)),
    [],
  );
  const untilText = (at: number) => t.until(formatAge(at, Date.now() / 1_000, settings.value));
  const choose = ({ reaction_type, emoji_code, emoji_name }: Emoji): void => {
    const glyph = reaction_type === 'unicode_emoji' ? characterOf(emoji_code) : `:${emoji_name}:`;
    text.value = `${glyph} ${text.peek()}`.slice(0, statusMax);
  };
  const set = async (field: (name: string) => string): Promise<void> => {
    const endsAt = Number(field('until'));
    const words = text.peek().trim();
    const hasEnd = endsAt > 0 && words !== '';
    const end = hasEnd ? divider + untilText(endsAt) : '';
    const status_text = words.slice(0, statusMax - end.length) + end;
    await app.request('POST /users/me/status', {
      status_text,
      away: field('away') !== '',
      ...(endsAt > 0 && { ends_at: endsAt }),
    });
    onClose();
  };
  return (
    <>
      <EmojiButton app={app} onChoose={choose} />
      <DialogForm action={t.set} submit={set} onClose={onClose}>
        <label class="field">
          {t.text}
          <input
            maxLength={statusMax}
            value={text}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          />
        </label>
        <label class="field">
          {t.end}
          <select name="until">
            <option value="">{t.noEnd}</option>
            {ends.map((at) => (
              <option key={at} value={at}>
                {untilText(at)}
              </option>
            ))}
          </select>
        </label>
        <p class="hint">{t.hint}</p>
        <label class="row">
          <input type="checkbox" name="away" {...{ defaultChecked: away === true }} />
          {t.away}
        </label>
      </DialogForm>
    </>
  );
}
