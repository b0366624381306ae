import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { KeySecrets } from '@parley/store';

import type { PictureFiles } from './pictures/picture-files.ts';
import type { PresenceBoard } from './presence/presence-board.ts';

/** What the endpoints of this service may use. */
export type PresenceContext = {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly keySecrets: KeySecrets;
  /** Avatars, custom emoji, icon, logos. */
  readonly pictures: PictureFiles;
  readonly mode: 'development' | 'production';
  /** Where clients reach the organization; without a slash at the end. */
  readonly publicUrl: string;
  /** Renders the organization's description to HTML. */
  readonly renderDescription: (description: string) => string;
  /** Renders what somebody wrote into a profile to HTML. */
  readonly renderProfileText: (text: string) => string;
};

/** The same, with who is here: only a running service has that. */
export type RunningPresenceContext = PresenceContext & { readonly presence: PresenceBoard };
