import type { ButtonHTMLAttributes } from 'preact';

import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

export type IconButtonProps = ButtonHTMLAttributes & {
  readonly icon: IconName;
  readonly label: string;
};

/** A button that shows an icon alone. Its label is said, and shown when it is pointed at. */
export function IconButton({ icon, label, ...attributes }: IconButtonProps) {
  return (
    <button type="button" class="plain" aria-label={label} title={label} {...attributes}>
      <Icon name={icon} />
    </button>
  );
}
