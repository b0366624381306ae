/** Files that are pasted or dropped, and what becomes of them. */
import type { Uploads } from '../../data/uploads.ts';
import { texts } from '../../texts.ts';
import { IconButton } from '../parts/icon-button.tsx';
import type { WrittenText } from './written-text.ts';

type TakeFiles = (files: FileList) => void;

function take(event: Event, from: DataTransfer | null, takeFiles: TakeFiles): void {
  if (from === null || from.files.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  takeFiles(from.files);
}

/** @returns a handler for pasted files */
export function pasteFiles(field: WrittenText): (event: ClipboardEvent) => void {
  return (event) => {
    // Programs give a picture of the text that was copied beside it.
    if (event.clipboardData?.types.includes('text/plain') !== true)
      take(event, event.clipboardData, (files) => field.addFiles(files));
  };
}

/**
 * Lets files be dropped anywhere on an element.
 *
 * @returns ends it
 */
export function takeDrops(
  element: HTMLElement | null | undefined,
  takeFiles: TakeFiles,
): (() => void) | undefined {
  if (element === null || element === undefined) return undefined;
  const ending = new AbortController();
  const on = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void): void =>
    element.addEventListener(type, act, { signal: ending.signal });
  const mark = (isOver: boolean): void => void element.toggleAttribute('data-dropping', isOver);
  on('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    event.stopPropagation();
    mark(true);
  });
  on('dragleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) mark(false);
  });
  on('drop', (event) => {
    mark(false);
    take(event, event.dataTransfer, takeFiles);
  });
  return () => ending.abort();
}

const linkedPicture =
  /\[(?<name>[^\]\n]*)\]\(\/(?<path>user_uploads\/[^)\s]+\.(?:png|jpe?g|gif|webp|bmp))\) ?/gi;

/** The uploaded pictures that the text links to, small, as readers will see them. */
export function LinkedPictures({ field }: { readonly field: WrittenText }) {
  const found = [...field.text.value.matchAll(linkedPicture)];
  if (found.length === 0) return null;
  return (
    <ul class="linked-pictures row" aria-label={texts.compose.pictures}>
      {found.map(({ 0: link, index, groups: { name = '', path = '' } = {} }) => (
        <li key={index}>
          <img src={`/thumbnail?url=${encodeURIComponent(path)}&size=thumbnail`} alt={name} />
          <IconButton
            icon="close"
            label={texts.compose.removePicture(name)}
            onClick={() => field.insert('', { start: index, end: index + link.length })}
          />
        </li>
      ))}
    </ul>
  );
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
