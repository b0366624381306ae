import { useMemo } from 'preact/hooks';

import { notify } from '../../data/notices.ts';
import { quickTimes } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { formatLongMoment } from '../parts/time.ts';
import type { Composer } from './composer.ts';

/** The form of a field of date and time: local, without an offset. */
function fieldValueOf(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

type SendLaterProps = { readonly composer: Composer; readonly onClose: () => void };

/** Asks when the server is to send the text. */
export function SendLater({ composer, onClose }: SendLaterProps) {
  const now = useMemo(() => new Date(), []);
  const times = quickTimes(now);
  const settings = composer.app.state.settings.value;
  const send = async (field: (name: string) => string): Promise<void> => {
    const at = new Date(field('quick') || field('at'));
    if (await composer.sendLater(at))
      notify(texts.scheduled.willBeSent(formatLongMoment(at.getTime() / 1_000, settings)));
    onClose();
  };
  return (
    <DialogForm action={texts.scheduled.schedule} submit={send} onClose={onClose}>
      {times.map(({ name, at }) => (
        <button key={name} class="quick-time" name="quick" value={at.toISOString()} formNoValidate>
          {texts.scheduled.quick[name]}{' '}
          <small>{formatLongMoment(at.getTime() / 1_000, settings)}</small>
        </button>
      ))}
      <label class="field">
        {texts.scheduled.otherTime}
        <input
          type="datetime-local"
          name="at"
          required
          min={fieldValueOf(now)}
          defaultValue={fieldValueOf(times[0]?.at ?? now)}
        />
      </label>
    </DialogForm>
  );
}
