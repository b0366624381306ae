import { texts } from '../../texts.ts';

/** Whether somebody is here. */
export function PresenceDot({ presence }: { readonly presence: 'active' | 'idle' | 'offline' }) {
  return (
    <span
      class="presence"
      data-presence={presence}
      role="img"
      aria-label={texts.presence[presence]}
    />
  );
}
