import type { FilesConfig } from '@parley/config';

import { DirectoryStore } from './directory-store.ts';
import type { FileStore } from './file-store.ts';

/**
 * Opens the store that the configuration names. A bucket is not asked for: it may be away while a service starts.
 *
 * @throws FileStoreFault when a folder cannot be used
 */
export async function openFileStore(config: FilesConfig): Promise<FileStore> {
  if (config.kind === 'directory') return DirectoryStore.open(config.path);
  // Only who has a bucket pays for the client's code.
  const { BucketStore } = await import('./bucket-store.ts');
  const { bucket, endpoint, region, credentials } = config;
  return new BucketStore({
    bucket,
    endpoint,
    region,
    credentials: credentials && {
      accessKeyId: credentials.accessKeyId.reveal(),
      secretAccessKey: credentials.secretAccessKey.reveal(),
    },
  });
}
