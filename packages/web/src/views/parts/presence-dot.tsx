import type { App } from '../../data/app.ts';
import { availabilityOf } from '../../data/presence.ts';
import { texts } from '../../texts.ts';

type PresenceDotProps = { readonly app: App; readonly userId: number };

/** Whether somebody is here. */
export function PresenceDot({ app, userId }: PresenceDotProps) {
  const presence = availabilityOf(app.state, userId);
  return (
    <span
      class="presence"
      data-presence={presence}
      role="img"
      aria-label={texts.presence[presence]}
    />
  );
}
