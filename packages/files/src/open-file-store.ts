import type { Clock } from '@parley/clock';
import type { FilesConfig } from '@parley/config';

import { DirectoryStore } from './directory-store.ts';
import type { FileStore } from './file-store.ts';

/**
 * Opens the configured store. A bucket is not contacted, because it may be down while a service starts. Where time stands it may be silent
 * for any time.
 *
 * @throws FileStoreFault if a folder cannot be used
 */
export async function openFileStore(config: FilesConfig, clock: Clock): Promise<FileStore> {
  if (config.kind === 'directory') return DirectoryStore.open(config.path);
  // Only installations with a bucket load the client's code.
  const { BucketStore } = await import('./bucket-store.ts');
  const { bucket, endpoint, region, credentials } = config;
  return new BucketStore({
    clock,
    bucket,
    endpoint,
    region,
    credentials: credentials && {
      accessKeyId: credentials.accessKeyId.reveal(),
      secretAccessKey: credentials.secretAccessKey.reveal(),
    },
  });
}
