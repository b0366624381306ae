import { settingsTexts as t } from '../../settings-texts.ts';
import type { Field, ValuesOf } from './fields.ts';
import { SubmitForm } from './form.tsx';
import { Rows } from './rows.tsx';
import type { Row } from './rows.tsx';

const listTexts: {
  readonly [name in keyof typeof t.lists]: {
    readonly note?: string;
    readonly empty: string;
    readonly add: string;
  };
} = t.lists;

/**
 * A section that is a list, and below it a form that adds to it.
 *
 * @param props.add undefined: the person may not add anything
 */
export function ListSection<Each extends Field>({
  name,
  rows,
  fields,
  add,
}: {
  readonly name: keyof typeof t.lists;
  readonly rows: readonly Row[];
  readonly fields: readonly Each[];
  readonly add: ((values: ValuesOf<Each>) => Promise<unknown>) | undefined;
}) {
  const { note, empty, add: title } = listTexts[name];
  return (
    <>
      {note !== undefined && <p>{note}</p>}
      <Rows label={t.sections[name]} empty={empty} rows={rows} />
      {add !== undefined && (
        <SubmitForm title={title} fields={fields} label={t.add} doneText={t.added} submit={add} />
      )}
    </>
  );
}
