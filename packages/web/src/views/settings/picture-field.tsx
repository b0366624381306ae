import type { ComponentChildren } from 'preact';

import { ActionButton, removal } from './action-button.tsx';
import { file } from './fields.ts';
import { Form } from './form.tsx';

/** A picture that is replaced by choosing a file, and removed if it is an own one. */
export function PictureField({
  name,
  picture,
  upload,
  remove = false,
}: {
  readonly name: 'picture' | 'icon' | 'logo' | 'night_logo';
  readonly picture: ComponentChildren;
  readonly upload: (file: Blob) => Promise<unknown>;
  /** Without it there is nothing to remove. */
  readonly remove?: (() => Promise<unknown>) | false;
}) {
  const field = file(name);
  return (
    <div class="picture row">
      {picture}
      <Form fields={[field]} save={async (given) => upload(given[name])} />
      {remove !== false && <ActionButton about={field.label} {...removal(remove)} />}
    </div>
  );
}
