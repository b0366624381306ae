import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { describeFailure } from '../../data/failure.ts';
import { readHistory } from '../../data/message-actions.ts';
import type { Edit } from '../../data/message-actions.ts';
import { texts } from '../../texts.ts';
import { formatMoment } from '../compose/moment.ts';
import { Dialog } from '../parts/dialog.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';

/** Every state of a message, the newest first, with what each edit changed marked. */
export function HistoryDialog({
  app,
  messageId,
  onClose,
}: {
  readonly app: App;
  readonly messageId: number;
  readonly onClose: () => void;
}) {
  const edits = useSignal<readonly Edit[] | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  useEffect(() => {
    readHistory(app, messageId).then(
      (history) => {
        edits.value = history;
      },
      (error: unknown) => {
        failure.value = describeFailure(error);
      },
    );
  }, [app, messageId]);
  return (
    <Dialog title={texts.edit.history} onClose={onClose}>
      {failure.value !== undefined && (
        <p class="refused" role="alert">
          {failure.value}
        </p>
      )}
      {edits.value === undefined && failure.value === undefined && <p>{texts.edit.loading}</p>}
      <ol class="history">
        {edits.value?.toReversed().map((edit, index) => (
          <li key={index}>
            <EditState app={app} edit={edit} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

function EditState({ app, edit }: { readonly app: App; readonly edit: Edit }) {
  const name = app.state.people.value.get(edit.user_id)?.full_name ?? texts.compose.unknownPerson;
  const moment = formatMoment(new Date(edit.timestamp * 1000), app.state.settings.value);
  const { prev_topic, content_html_diff } = edit;
  const isOriginal = prev_topic === undefined && content_html_diff === undefined;
  return (
    <>
      <p class="history-head">
        {isOriginal ? texts.edit.written(name, moment) : texts.edit.edited(name, moment)}
      </p>
      {prev_topic !== undefined && (
        <p>
          {texts.compose.topic}: <del>{prev_topic}</del> <ins>{edit.topic}</ins>
        </p>
      )}
      {(isOriginal || content_html_diff !== undefined) && (
        <RenderedHtml html={content_html_diff ?? edit.rendered_content} />
      )}
    </>
  );
}
