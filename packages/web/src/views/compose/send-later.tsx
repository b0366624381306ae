import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { describeFailure } from '../../data/failure.ts';
import { notify } from '../../data/notices.ts';
import { quickTimes } from '../../data/scheduled.ts';
import { texts } from '../../texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { formatMoment } from './moment.ts';
import type { Composer } from './composer.ts';

/** The form of a field of date and time: local, without an offset. */
function fieldValueOf(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Asks when the server is to send the text. */
export function SendLaterDialog({
  app,
  composer,
  onClose,
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly onClose: () => void;
}) {
  const times = useMemo(() => quickTimes(new Date()), []);
  const chosen = useSignal(fieldValueOf(times[0]?.at ?? new Date()));
  const failure = useSignal<string | undefined>(undefined);
  const isSending = useSignal(false);
  const send = async (at: Date): Promise<void> => {
    isSending.value = true;
    failure.value = undefined;
    try {
      await composer.sendLater(at);
      notify(texts.scheduled.willBeSent(formatMoment(at, app.state.settings.value)));
      onClose();
    } catch (error) {
      failure.value = describeFailure(error);
      isSending.value = false;
    }
  };
  const at = new Date(chosen.value);
  const isFuture = at > new Date();
  return (
    <Dialog title={texts.scheduled.sendLater} onClose={onClose}>
      <ul class="quick-times">
        {times.map(({ name, at }) => (
          <li key={name}>
            <button type="button" disabled={isSending.value} onClick={() => void send(at)}>
              {texts.scheduled.quick[name]}{' '}
              <small>{formatMoment(at, app.state.settings.value)}</small>
            </button>
          </li>
        ))}
      </ul>
      <form
        class="field-row"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void send(at);
        }}
      >
        <label class="field">
          {texts.scheduled.otherTime}
          <input
            type="datetime-local"
            required
            min={fieldValueOf(new Date())}
            value={chosen.value}
            onInput={({ currentTarget }) => {
              chosen.value = currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="primary" disabled={isSending.value || !isFuture}>
          {texts.scheduled.schedule}
        </button>
      </form>
      {!isFuture && <p class="refused">{texts.scheduled.notFuture}</p>}
      {failure.value !== undefined && (
        <p class="refused" role="alert">
          {failure.value}
        </p>
      )}
    </Dialog>
  );
}
