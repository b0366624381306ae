import type { Upload, Uploads } from '../../data/uploads.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';

/** Files on their way, and those that the server did not take. */
export function UploadList({ uploads }: { readonly uploads: Uploads }) {
  if (uploads.items.value.length === 0) return null;
  return (
    <ul class="uploads" aria-label={texts.compose.uploads}>
      {uploads.items.value.map((upload) => (
        <UploadItem key={upload.id} upload={upload} onCancel={() => uploads.cancel(upload.id)} />
      ))}
    </ul>
  );
}

function UploadItem({
  upload: { name, progress, failure },
  onCancel,
}: {
  readonly upload: Upload;
  readonly onCancel: () => void;
}) {
  const isFailed = failure.value !== undefined;
  return (
    <li>
      <span class="upload-name">{name}</span>
      {isFailed ? (
        <span class="refused" role="alert">
          {failure.value || texts.failure.noAnswer}
        </span>
      ) : (
        <progress aria-label={texts.compose.uploading(name)} value={progress.value} />
      )}
      <button
        type="button"
        class="plain"
        aria-label={isFailed ? texts.compose.dismissUpload(name) : texts.compose.cancelUpload(name)}
        onClick={onCancel}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
