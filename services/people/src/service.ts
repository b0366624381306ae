import { ConfigError } from '@parley/config';
import { openFileStore } from '@parley/files';
import type { FileStore } from '@parley/files';
import { createPeopleContext } from '@parley/people';
import { connectStores, keepLease, serveApi } from '@parley/server';
import type { RequestHandler, ServiceFrame } from '@parley/server';

import { endpoints } from './endpoints/index.ts';

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

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startPeople(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log } = frame;
  const files = await openFiles(frame);
  const stores = await connectStores(frame);
  const context = createPeopleContext({ config, log, files, ...stores });
  frame.onDispose('pictures', () => context.pictureMaker.close());
  keepLease(frame, stores);
  return serveApi(frame, { implementations: endpoints, context }).handler;
}
