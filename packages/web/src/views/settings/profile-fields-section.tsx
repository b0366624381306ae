import type { App } from '../../data/app.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { accountOf, fieldTypes, optionsOf } from '../people/profile-fields.ts';
import type { ProfileField } from '../people/profile-fields.ts';
import { removal } from './action-button.tsx';
import { area, line, listed } from './fields.ts';
import { SavedFields } from './form.tsx';
import type { Row } from './rows.tsx';
import { ListSection } from './rows.tsx';
import type { SectionProps } from './section.ts';

const describingFields = [line('name', { maxLength: 40 }), line('hint', { maxLength: 80 })];
const dataField = area('field_data', 5000);
const newFieldFields = [listed('field_type'), ...describingFields, dataField];

/** Kinds of fields are their types, and accounts elsewhere by their names, `custom` for others. */
const kindTexts: Readonly<Record<string | number, string | undefined>> = t.choices.field_type;

function kindOf(field: ProfileField): string | number {
  return accountOf(field)?.subtype ?? field.type;
}

/** What a field's kind has besides: an option on each line, or the address of accounts. */
function linesOf(field: ProfileField): string {
  const options = optionsOf(field).map(([, text]) => text);
  return accountOf(field)?.url_pattern ?? options.join('\n');
}

type Option = readonly [value: string, text: string];

/** Options whose texts stay keep their values; others get numbers that are not in use. */
function optionsFrom(lines: string, present: readonly Option[]) {
  const values = new Map(present.map(([value, text]) => [text, value]));
  const optionTexts = new Set(lines.split('\n').map((text) => text.trim()));
  optionTexts.delete('');
  const firstFree = 1 + Math.max(-1, ...present.map(([value]) => Number(value)));
  return Object.fromEntries(
    [...optionTexts].map((text, index) => [
      values.get(text) ?? String(firstFree + index),
      { text, order: String(index + 1) },
    ]),
  );
}

function dataFrom(kind: string | number, lines: string, present: readonly Option[] = []) {
  if (kind === fieldTypes.choice) return optionsFrom(lines, present);
  if (kind === 'custom') return { subtype: kind, url_pattern: lines.trim() };
  return typeof kind === 'string' ? { subtype: kind } : {};
}

function fieldRow(app: App, field: ProfileField, index: number): Row {
  const { id: field_id, name, hint } = field;
  const kind = kindOf(field);
  const isKnownAccount = typeof kind === 'string' && kind !== 'custom';
  const field_data = linesOf(field);
  const editor = () => (
    <SavedFields
      fields={field_data === '' ? describingFields : [...describingFields, dataField]}
      values={{ name, hint, field_data }}
      save={({ field_data: lines = field_data, ...change }) =>
        app.request('PATCH /realm/profile_fields/{field_id}', {
          field_id,
          name,
          hint,
          ...change,
          field_data: dataFrom(kind, lines, optionsOf(field)),
        })
      }
    />
  );
  const ids = app.state.rest.value.custom_profile_fields.map(({ id }) => id);
  const order = ids.toSpliced(index, 1).toSpliced(index - 1, 0, field_id);
  const moveUp = {
    label: t.moveUp,
    run: () => app.request('PATCH /realm/profile_fields', { order }),
  };
  const remove = () => app.request('DELETE /realm/profile_fields/{field_id}', { field_id });
  return {
    key: field_id,
    title: name,
    detail: [kindTexts[kind], hint].filter(Boolean).join(' · '),
    edit: !isKnownAccount && editor,
    actions: [index > 0 && moveUp, removal(remove, t.warnings.removeProfileField)],
  };
}

export function ProfileFieldsSection({ app }: SectionProps) {
  return (
    <ListSection
      name="profile-fields"
      rows={app.state.rest.value.custom_profile_fields.map((field, index) =>
        fieldRow(app, field, index),
      )}
      fields={newFieldFields}
      add={({ field_type: kind, field_data, ...field }) =>
        app.request('POST /realm/profile_fields', {
          ...field,
          field_type: typeof kind === 'string' ? fieldTypes.account : kind,
          field_data: dataFrom(kind, field_data),
        })
      }
    />
  );
}
