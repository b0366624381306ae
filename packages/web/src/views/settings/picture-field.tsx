import { useId } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

import { settingsTexts as t } from '../../settings-texts.ts';
import { ActionButton } from './action-button.tsx';
import { OutcomeNote, useOutcome } from './outcome.tsx';

/** A picture that is replaced by choosing a file, and removed if it is an own one. */
export function PictureField({
  label,
  picture,
  upload,
  remove,
}: {
  readonly label: string;
  readonly picture: ComponentChildren;
  readonly upload: (file: Blob) => Promise<unknown>;
  /** Undefined: there is nothing to remove. */
  readonly remove: (() => Promise<unknown>) | undefined;
}) {
  const id = useId();
  const { outcome, attempt } = useOutcome();
  return (
    <div class="field" data-kind="picture">
      <label for={id}>{label}</label>
      <div class="picture">{picture}</div>
      <div class="form-end">
        <input
          id={id}
          type="file"
          accept="image/*"
          aria-describedby={`${id}-help`}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.files?.[0];
            if (chosen !== undefined) void attempt(() => upload(chosen));
          }}
        />
        {remove !== undefined && <ActionButton label={t.remove} about={label} run={remove} />}
        <OutcomeNote outcome={outcome} />
      </div>
      <small class="hint" id={`${id}-help`}>
        {t.pictureHelp}
      </small>
    </div>
  );
}
