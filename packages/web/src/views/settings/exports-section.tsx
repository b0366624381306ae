import type { AnswerOf } from '@parley/client';
import type { App } from '../../data/app.ts';
import { perform } from '../../data/operation.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { useReading } from '../parts/waiting.tsx';
import { removal } from './action-button.tsx';
import { Form } from './form.tsx';
import type { Row } from './rows.tsx';
import { Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';
import { sectionTexts } from './section.ts';

type Export = AnswerOf<'GET /export/realm'>['exports'][number];

function stateOf({ pending, failed_timestamp, deleted_timestamp }: Export): string {
  if (pending) return t.exports.pending;
  if (deleted_timestamp !== null) return t.exports.deleted;
  return failed_timestamp === null ? t.exports.ready : t.exports.failed;
}

function rowOf(app: App, made: Export): Row {
  const { id, export_time, export_url, deleted_timestamp } = made;
  const remove = removal(() => perform(app, 'DELETE /export/realm/{export_id}', { export_id: id }));
  return {
    key: id,
    title: new Date(export_time * 1000).toLocaleString(),
    ...(export_url !== null && { href: export_url }),
    detail: stateOf(made),
    actions: deleted_timestamp === null ? [remove] : [],
  };
}

/** Archives of what every member may read. */
export function ExportsSection({ app }: SectionProps) {
  const { value, waiting } = useReading(
    () => perform(app, 'GET /export/realm'),
    app.state.listsVersion.value,
  );
  if (value === undefined) return waiting;
  return (
    <>
      <Rows
        label={sectionTexts.exports.title}
        rows={value.exports.toReversed().map((made) => rowOf(app, made))}
      />
      <Form
        fields={[]}
        button={t.exports.make}
        doneText=""
        save={() => perform(app, 'POST /export/realm')}
      />
    </>
  );
}
