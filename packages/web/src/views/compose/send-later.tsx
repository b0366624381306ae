import { notify } from '../../data/notices.ts';
import { texts } from '../../texts.ts';
import { TimeForm } from '../parts/time-form.tsx';
import { formatLongMoment } from '../parts/time.ts';
import type { Composer } from './composer.ts';

type SendLaterProps = { readonly composer: Composer; readonly onClose: () => void };

/** Asks when the server is to send the text. */
export function SendLater({ composer, onClose }: SendLaterProps) {
  const settings = composer.app.state.settings.value;
  const send = async (at: Date): Promise<void> => {
    if (await composer.sendLater(at))
      notify(texts.scheduled.willBeSent(formatLongMoment(at.getTime() / 1_000, settings)));
    onClose();
  };
  return (
    <TimeForm
      settings={settings}
      action={texts.scheduled.schedule}
      choose={send}
      onClose={onClose}
    />
  );
}
