import type { ComponentChildren } from 'preact';

import { ActionButton, removal } from './action-button.tsx';
import { file } from './fields.ts';
import { Form } from './form.tsx';

/** A picture that is replaced by choosing a file, and removed if it is an own one. */
export function PictureField({
  name,
  picture,
  upload,
  remove,
}: {
  readonly name: 'picture' | 'icon' | 'logo' | 'night_logo';
  readonly picture: ComponentChildren;
  readonly upload: (file: Blob) => Promise<unknown>;
  /** Undefined: there is nothing to remove. */
  readonly remove?: (() => Promise<unknown>) | undefined;
}) {
  const field = file(name);
  return (
    <div class="picture">
      {picture}
      <Form fields={[field]} save={async (given) => upload(given[name])} />
      {remove !== undefined && <ActionButton about={field.label} {...removal(remove)} />}
    </div>
  );
}
