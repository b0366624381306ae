import '../../styles/files.css';
import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { allMessages, conversationOf, narrowOf } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Blank } from '../parts/blank.tsx';
import { nameOfConversation } from '../parts/names.ts';
import { parseHtml, RenderedHtml } from '../parts/rendered-html.tsx';
import { fileName, kindOfUpload } from '../parts/rendered-rules.ts';
import { formatLongMoment } from '../parts/time.ts';
import { useReading } from '../parts/waiting.tsx';
import type { PlaceDialogProps } from './place-dialogs.tsx';

/** Messages of one request. */
const pageSize = 50;

type SentFile = {
  readonly message: Message;
  readonly name: string;
  /** The link to it: around its picture, unless that is hidden in the message, or with its name. */
  readonly link: HTMLElement;
};

/** What was sent in a message, and not only quoted. */
function filesOf(message: Message): readonly SentFile[] {
  const files = new Map<string, SentFile>();
  for (const link of parseHtml(message.content).querySelectorAll('a')) {
    const href = link.getAttribute('href') ?? '';
    if (kindOfUpload(href, location.origin) === undefined || link.closest('blockquote') !== null)
      continue;
    const name = fileName(href);
    const isPicture = link.querySelector('img') !== null && !link.closest('.spoiler-content');
    if (!isPicture) link.textContent = name;
    if (isPicture || !files.has(href)) files.set(href, { message, name, link });
  }
  return [...files.values()];
}

type Page = {
  /** The newest first. */
  readonly files: readonly SentFile[];
  /** The newest message that was asked for; undefined for that of the place. */
  readonly anchor: number | undefined;
  /** Where the next page begins; undefined if there is none. */
  readonly next: number | undefined;
};

/** @returns the files that were read before, and those of further messages */
async function readPage(
  app: App,
  narrow: Narrow,
  anchor: number | undefined,
  held: readonly SentFile[],
): Promise<Page> {
  const { messages, found_oldest } = await app.request('GET /messages', {
    narrow: [...narrow, { operator: 'has', operand: 'attachment' }],
    anchor: String(anchor ?? 'newest'),
    num_before: pageSize,
    num_after: 0,
  });
  const [oldest] = messages;
  return {
    files: [...held, ...messages.toReversed().flatMap(filesOf)],
    anchor,
    next: found_oldest || oldest === undefined ? undefined : oldest.id - 1,
  };
}

/** The files and pictures that were sent in a place, the newest first. */
export function PlaceFiles({ app, place, onClose }: PlaceDialogProps) {
  const narrow = place.view === 'messages' ? place.narrow : allMessages;
  const anchor = useSignal<number | undefined>(undefined);
  const page = useSignal<Page | undefined>(undefined);
  const { waiting } = useReading(async () => {
    page.value = await readPage(app, narrow, anchor.value, page.peek()?.files ?? []);
  }, anchor.value);
  if (page.value === undefined) return <div class="blank">{waiting}</div>;
  const { files, next } = page.value;
  const isRead = page.value.anchor === anchor.value;
  return (
    <>
      {files.length === 0 && next === undefined && <Blank title={texts.places.noFiles} />}
      <ul class="files" aria-label={texts.places.dialogs.files}>
        {files.map((file) => (
          <FileRow
            key={`${file.message.id} ${file.name}`}
            app={app}
            file={file}
            isOneConversation={conversationOf(narrow) !== undefined}
            onLeave={onClose}
          />
        ))}
      </ul>
      {!isRead && waiting}
      {isRead && next !== undefined && (
        <button type="button" onClick={() => (anchor.value = next)}>
          {texts.recent.more}
        </button>
      )}
    </>
  );
}

type FileRowProps = {
  readonly app: App;
  readonly file: SentFile;
  readonly isOneConversation: boolean;
  readonly onLeave: () => void;
};

function FileRow({ app, file, isOneConversation, onLeave }: FileRowProps) {
  const { message, name, link } = file;
  const { state } = app;
  const conversation = conversationOfMessage(message, state);
  const moment = formatLongMoment(message.timestamp, state.settings.value);
  const sent = texts.messages.by(message.sender_full_name, moment);
  const near = { view: 'messages', narrow: narrowOf(conversation), near: message.id } as const;
  return (
    <li class="row">
      <RenderedHtml html={link.outerHTML} />
      <div class="files-text">
        {link.querySelector('img') !== null && <strong>{name}</strong>}
        <a href={app.addressOf(near)} onClick={onLeave}>
          {sent}
        </a>
        {!isOneConversation && <small>{nameOfConversation(state, conversation)}</small>}
      </div>
    </li>
  );
}
