import { settingsTexts as t } from '../../settings-texts.ts';
import type { Field, ValuesOf } from './fields.ts';
import { Form } from './form.tsx';
import type { Row } from './rows.tsx';
import { Rows } from './rows.tsx';
import type { SectionName } from './section.ts';
import { sectionTexts } from './section.ts';

/** A section that is a list, and below it, for those who may add to it, a form that does. */
export function ListSection<Each extends Field>({
  name,
  rows,
  fields,
  add,
  mayAdd = true,
}: {
  readonly name: SectionName;
  readonly rows: readonly Row[];
  readonly fields: readonly Each[];
  readonly add: (values: ValuesOf<Each>) => Promise<unknown>;
  readonly mayAdd?: boolean;
}) {
  const { title, add: addTitle } = sectionTexts[name];
  return (
    <>
      <Rows label={title} rows={rows} />
      {mayAdd && (
        <Form title={addTitle} fields={fields} button={t.add} doneText={t.added} save={add} />
      )}
    </>
  );
}
