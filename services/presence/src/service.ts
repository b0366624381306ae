import { ConfigError } from '@parley/config';
import type { ServiceConfig } from '@parley/config';
import { openFileStore } from '@parley/files';
import type { FileStore } from '@parley/files';
import { serveApi } from '@parley/http';
import type { RequestHandler, ServiceFrame } from '@parley/http';
import { subjectLogger } from '@parley/logging';
import type { Logger } from '@parley/logging';
import { descriptionRenderer } from '@parley/markdown';
import { connectStores, keepLease } from '@parley/service';
import type { Stores } from '@parley/service';
import { deriveKeySecrets } from '@parley/store';

import type { PresenceContext } from './context.ts';
import { endpoints } from './endpoints/index.ts';
import { PictureFiles } from './pictures/picture-files.ts';
import { PresenceBoard } from './presence/presence-board.ts';
import { realmDescriptionRenderer } from './render-realm-description.ts';

/** @throws ConfigError when the configuration names no place for uploaded files */
async function openFiles({ config, onDispose }: ServiceFrame): Promise<FileStore> {
  const { files: place } = config.uploads;
  if (place === undefined) {
    throw new ConfigError([
      'PARLEY_UPLOADS_DIR or PARLEY_S3_BUCKET is required: where pictures are kept',
    ]);
  }
  const files = await openFileStore(place);
  onDispose('files', () => files.close());
  return files;
}

/** Makes what endpoints use, for this service and for the operator's command. */
export function createPresenceContext({
  config,
  log,
  files,
  pool,
  eventLog,
}: {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly files: FileStore;
} & Pick<Stores, 'pool' | 'eventLog'>): PresenceContext {
  return {
    pool,
    eventLog,
    keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
    pictures: new PictureFiles({ pool, files, log: subjectLogger(log, 'presence:pictures') }),
    mode: config.mode,
    publicUrl: config.publicUrl,
    renderDescription: realmDescriptionRenderer(config.publicUrl),
    // Names of people, groups and streams stay plain text: everybody may read a profile.
    renderProfileText: descriptionRenderer(config.publicUrl),
  };
}

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startPresence(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log, metrics } = frame;
  const files = await openFiles(frame);
  const stores = await connectStores(frame);
  const presence = new PresenceBoard({
    ...stores,
    log: subjectLogger(log, 'presence:reports'),
    registry: metrics.registry,
  });
  frame.onDispose('presence', () => presence.stop());
  keepLease(frame, stores);
  return serveApi(frame, {
    endpoints,
    context: { ...createPresenceContext({ config, log, files, ...stores }), presence },
  }).handler;
}
