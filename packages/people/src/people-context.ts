import type { ServiceConfig } from '@parley/config';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { FileStore } from '@parley/files';
import { sessionCookieOf } from '@parley/identity';
import type { SessionCookie } from '@parley/identity';
import { ImageDecoder } from '@parley/images';
import { subjectLogger } from '@parley/logging';
import type { Logger } from '@parley/logging';
import { descriptionRenderer } from '@parley/markdown';
import { deriveKeySecrets } from '@parley/secrets';
import type { KeySecrets } from '@parley/secrets';

import { PictureFiles } from './pictures/picture-files.ts';
import { PictureMaker } from './pictures/picture-maker.ts';
import { realmDescriptionRenderer } from './render-realm-description.ts';

/** The context of operations on people, bots and the organization. */
export type PeopleContext = {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly keySecrets: KeySecrets;
  /** Avatars, custom emoji, icon, logos. */
  readonly pictures: PictureFiles;
  readonly pictureMaker: PictureMaker;
  readonly mode: 'development' | 'production';
  /** Where clients reach the organization; without a slash at the end. */
  readonly publicUrl: string;
  /** The cookie of browsers' sessions, ... */
  readonly sessionCookie: SessionCookie;
  /** ... which end if they are not used for longer than this. */
  readonly sessionIdleSecs: number;
  /** Whether the configuration says how mails leave. */
  readonly sendsMails: boolean;
  /** Counts active bots. */
  readonly botsPerOwnerMax: number;
  /** Renders the organization's description to HTML. */
  readonly renderDescription: (description: string) => string;
  /** Renders a text of a profile to HTML. */
  readonly renderProfileText: (text: string) => string;
};

/**
 * Makes the context, for the service and for the operator's command.
 *
 * @param files where pictures are kept; the caller closes it, as it does `pool` and, when it ends, `pictureMaker`
 */
export function createPeopleContext({
  config,
  log,
  files,
  pool,
  eventLog,
}: {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly files: FileStore;
  readonly pool: Pool;
  readonly eventLog: EventLog;
}): PeopleContext {
  const picturesLog = subjectLogger(log, 'people:pictures');
  return {
    pool,
    eventLog,
    keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
    pictures: new PictureFiles({ pool, files, log: picturesLog }),
    pictureMaker: new PictureMaker(new ImageDecoder({ log: picturesLog })),
    mode: config.mode,
    publicUrl: config.publicUrl,
    sessionCookie: sessionCookieOf(config.publicUrl),
    sessionIdleSecs: config.sessionIdleSecs,
    sendsMails: config.mail !== undefined,
    botsPerOwnerMax: config.botsPerOwnerMax,
    renderDescription: realmDescriptionRenderer(config.publicUrl),
    // Names of people, groups and streams stay plain text: everybody may read a profile.
    renderProfileText: descriptionRenderer(config.publicUrl),
  };
}
