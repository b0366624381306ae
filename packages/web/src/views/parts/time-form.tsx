import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { quickTimes } from '../../data/scheduled.ts';
import type { Settings } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { DialogForm } from './dialog-form.tsx';
import { formatLongMoment } from './time.ts';

/** The form of a field of date and time: local, without an offset. */
function fieldValueOf(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

type TimeFormProps = {
  readonly settings: Settings;
  readonly action: string;
  readonly choose: (at: Date) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
};

/** Asks for a time in the future: one of those that people often choose, or any other. */
export function TimeForm({ settings, action, choose, onClose, children }: TimeFormProps) {
  const now = useMemo(() => new Date(), []);
  const times = quickTimes(now);
  return (
    <DialogForm
      action={action}
      submit={(field) => choose(new Date(field('quick') || field('at')))}
      onClose={onClose}
    >
      {children}
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
