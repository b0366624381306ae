/** Files that are pasted or dropped into a form, and what becomes of them. */
import type { TargetedDragEvent } from 'preact';

import type { Uploads } from '../../data/uploads.ts';
import { texts } from '../../texts.ts';
import { IconButton } from '../parts/icon-button.tsx';
import type { WrittenText } from './written-text.ts';

/** @returns the handlers of a form that takes files */
export function fileHandlers(field: WrittenText) {
  const take = (event: Event, from: DataTransfer | null): void => {
    if (from === null || from.files.length === 0) return;
    event.preventDefault();
    field.addFiles(from.files);
  };
  const mark = ({ currentTarget }: TargetedDragEvent<HTMLElement>, isOver: boolean): void => {
    currentTarget.toggleAttribute('data-dropping', isOver);
  };
  return {
    onPaste: (event: ClipboardEvent) => {
      // Programs give a picture of the text that was copied beside it.
      if (event.clipboardData?.types.includes('text/plain') !== true)
        take(event, event.clipboardData);
    },
    onDragOver: (event: TargetedDragEvent<HTMLElement>) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      mark(event, true);
    },
    onDragLeave: (event: TargetedDragEvent<HTMLElement>) => mark(event, false),
    onDrop: (event: TargetedDragEvent<HTMLElement>) => {
      mark(event, false);
      take(event, event.dataTransfer);
    },
  };
}

/** Files on their way, and those that the server did not take. */
export function UploadList({ uploads }: { readonly uploads: Uploads }) {
  if (uploads.items.value.length === 0) return null;
  return (
    <ul class="uploads" aria-label={texts.compose.uploads}>
      {uploads.items.value.map(({ id, name, progress, failure, cancel }) => {
        const isFailed = failure.value !== undefined;
        const { cancelUpload, dismissUpload } = texts.compose;
        return (
          <li key={id} class="row">
            <span class="line">{name}</span>
            {isFailed ? (
              <span class="refused" role="alert">
                {failure.value || texts.failure.noAnswer}
              </span>
            ) : (
              <progress aria-label={texts.compose.uploading(name)} value={progress.value} />
            )}
            <IconButton
              icon="close"
              label={isFailed ? dismissUpload(name) : cancelUpload(name)}
              onClick={cancel}
            />
          </li>
        );
      })}
    </ul>
  );
}
