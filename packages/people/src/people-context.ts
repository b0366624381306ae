import type { Clock } from '@parley/clock';
import type { ListBounds, MailLimits, ServiceConfig } from '@parley/config';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { FileStore } from '@parley/files';
import { attemptCookieOf, sessionCookieOf } from '@parley/auth/identity';
import type { SessionCookie } from '@parley/auth/identity';
import { ImageDecoder } from '@parley/files/images';
import { subjectLogger } from '@parley/telemetry/logging';
import type { Logger } from '@parley/telemetry/logging';
import { descriptionRenderer } from '@parley/markdown';
import { OpenIdProvider } from '@parley/auth/openid';
import { deriveKeySecrets } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

import { PictureFiles } from './pictures/picture-files.ts';
import { PictureMaker } from './pictures/picture-maker.ts';

/** The text that visitors read if the organization has no description (reference facts, people 5.5). */
const defaultDescription = 'Welcome.';

/**
 * Makes the renderer of the organization's description, which anybody may read: names of people, groups and streams stay plain
 * text.
 *
 * @param publicUrl without a slash at the end
 */
function realmDescriptionRenderer(publicUrl: string): (description: string) => string {
  const render = descriptionRenderer(publicUrl);
  return (description) => render(description === '' ? defaultDescription : description);
}

export type SignOnOutcome = 'signed in' | 'made' | 'linked' | 'refused' | 'unavailable' | 'invalid';

/** @param reason for the operator, without secrets and words of strangers; undefined if nothing is wrong */
export type NoteSignOn = (
  provider: string,
  outcome: SignOnOutcome,
  reason: string | undefined,
) => void;

/** The context of operations on people, bots and the organization. */
export type PeopleContext = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly keySecrets: KeySecrets;
  readonly files: FileStore;
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
  /** The OpenID providers by which people sign in, by id, in the order of their buttons. */
  readonly identityProviders: ReadonlyMap<string, OpenIdProvider>;
  readonly usesSingleSignOn: boolean;
  /** The cookie of a sign-in by a provider that the browser began. */
  readonly attemptCookie: SessionCookie;
  /** Logs and counts what became of a sign-in by a provider. */
  readonly noteSignOn: NoteSignOn;
  /** Whether the configuration says how mails leave. */
  readonly sendsMails: boolean;
  readonly mailLimits: MailLimits;
  /** Counts active bots. */
  readonly botsPerOwnerMax: number;
  readonly lists: ListBounds;
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
  clock,
  config,
  log,
  files,
  pool,
  eventLog,
  countSignOn,
}: {
  readonly clock: Clock;
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly files: FileStore;
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly countSignOn?: ((provider: string, outcome: SignOnOutcome) => void) | undefined;
}): PeopleContext {
  const { identityProviders: providers } = config;
  const signOnLog = subjectLogger(log, 'people:single-sign-on');
  const picturesLog = subjectLogger(log, 'people:pictures');
  return {
    clock,
    pool,
    eventLog,
    keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
    files,
    pictures: new PictureFiles({ pool, files, log: picturesLog }),
    pictureMaker: new PictureMaker(() => new ImageDecoder({ clock, log: picturesLog }), clock),
    mode: config.mode,
    publicUrl: config.publicUrl,
    sessionCookie: sessionCookieOf(config.publicUrl),
    sessionIdleSecs: config.sessionIdleSecs,
    identityProviders: new Map(
      providers.map((provider) => [provider.id, new OpenIdProvider(provider, clock)]),
    ),
    usesSingleSignOn: providers.length > 0,
    attemptCookie: attemptCookieOf(config.publicUrl),
    noteSignOn: (provider, outcome, reason) => {
      countSignOn?.(provider, outcome);
      if (reason !== undefined) signOnLog.warn({ provider, outcome, reason }, 'single sign-on');
    },
    sendsMails: config.mail !== undefined,
    mailLimits: config.mailLimits,
    botsPerOwnerMax: config.botsPerOwnerMax,
    lists: config.lists,
    renderDescription: realmDescriptionRenderer(config.publicUrl),
    // Names of people, groups and streams stay plain text: everybody may read a profile.
    renderProfileText: descriptionRenderer(config.publicUrl),
  };
}
