/** The two ways in which settings are saved: each field when it changes, or all fields of a form by its button. */
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { ActionButton, removal } from './action-button.tsx';
import type { Field, FieldValue, ValuesOf } from './fields.ts';
import { file, readField } from './fields.ts';
import { useOutcome } from './outcome.tsx';
import { Picker } from './picker.tsx';

type ShownField = { readonly field: Field; readonly value: FieldValue };

/** Values are given as defaults: what a person has changed stays until the form is reset. */
function Control({ field, value, id }: ShownField & { readonly id: string }) {
  const { name, kind, attributes, choices = [], help } = field;
  const common = {
    id,
    name,
    ...attributes,
    'aria-describedby': help === undefined ? undefined : `${id}-help`,
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  switch (kind) {
    case 'picker':
      return <Picker {...common} choices={choices} value={Array.isArray(value) ? value : []} />;
    case 'select':
      return (
        <select {...common}>
          {choices.map(([each, label]) => (
            <option key={each} value={each} {...{ defaultSelected: each === value }}>
              {label}
            </option>
          ))}
        </select>
      );
    case 'textarea':
      return <textarea {...common} rows={3} defaultValue={text} />;
    default:
      return h('input', {
        ...common,
        ...(typeof value === 'boolean' ? { defaultChecked: value } : { defaultValue: text }),
      });
  }
}

function LabelledField(props: ShownField) {
  const id = useId();
  const { kind, attributes, label, help } = props.field;
  return (
    <div class="field" data-kind={attributes?.type ?? kind}>
      <label for={id}>{label}</label>
      <Control {...props} id={id} />
      {help !== undefined && (
        <small class="hint" id={`${id}-help`}>
          {help}
        </small>
      )}
    </div>
  );
}

type FormProps<Each extends Field> = {
  readonly fields: readonly Each[];
  /** What the fields show, which follows the state; without it, what they begin with. */
  readonly values?: { readonly [Name in Each['name']]: FieldValue } | undefined;
  /** What it is for, for those who do not see what stands above it. */
  readonly title?: string | undefined;
  /** Gives what the fields have; without it they are given whenever one changes. */
  readonly button?: string;
  readonly doneText?: string;
  /** What stands beside that: it leads to what was done. */
  readonly onward?: ComponentChildren;
  readonly save: (values: ValuesOf<Each>) => Promise<unknown>;
};

/** Some fields in a form. */
export function Form<Each extends Field>(props: FormProps<Each>) {
  const { fields, values, title, button, doneText, onward, save } = props;
  const form = useRef<HTMLFormElement>(null);
  const round = useSignal(0);
  const { note, isWorking, isDone, attempt } = useOutcome();
  const shown = fields.map(({ name, initial }) => values?.[name as Each['name']] ?? initial);
  const isGiving = useRef(false);
  const isChanged = useRef(false);
  useLayoutEffect(() => {
    if (!isChanged.current) form.current?.reset();
  }, [JSON.stringify(shown), round.value]);
  const give = async (element: HTMLFormElement): Promise<void> => {
    const data = new FormData(element);
    const given = Object.fromEntries(fields.map((field) => [field.name, readField(field, data)]));
    const isDone = await attempt(() => save(given as ValuesOf<Each>), doneText);
    const isTyped = fields.every(
      ({ kind, initial }) => typeof initial === 'string' && kind !== 'select',
    );
    // What was typed stays to be mended; a refused choice goes back to what holds.
    if (button === undefined ? !isDone && !isTyped : isDone) round.value += 1;
  };
  /** What is changed again while it is being saved is saved after that. */
  const giveChanges = async (element: HTMLFormElement): Promise<void> => {
    isChanged.current = true;
    if (isGiving.current) return;
    isGiving.current = true;
    while (isChanged.current) {
      isChanged.current = false;
      await give(element);
    }
    isGiving.current = false;
  };
  return (
    <form
      ref={form}
      class={button === undefined ? 'saved-field' : 'submit-form'}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (button !== undefined) void give(event.currentTarget);
      }}
      onChange={({ currentTarget }) => {
        if (button === undefined && currentTarget.reportValidity()) void giveChanges(currentTarget);
      }}
    >
      {fields.map((field, index) => (
        <LabelledField
          key={field.kind === 'picker' ? `${field.name}${round.value}` : field.name}
          field={field}
          value={shown[index] ?? field.initial}
        />
      ))}
      {button !== undefined && (
        <button class="primary" disabled={isWorking}>
          {button}
        </button>
      )}
      {note}
      {isDone && onward}
    </form>
  );
}

type SavedFieldsProps<Each extends Field> = Pick<FormProps<Each>, 'fields' | 'values'> & {
  readonly save: (change: Partial<ValuesOf<Each>>) => Promise<unknown>;
};

/** Fields that are saved one by one when they change. */
export function SavedFields<Each extends Field>({ fields, values, save }: SavedFieldsProps<Each>) {
  return (
    <>
      {fields.map((field) => (
        <Form
          key={field.name}
          fields={[field]}
          values={values}
          save={async (given: object) => save(given)}
        />
      ))}
    </>
  );
}

type PictureFieldProps = {
  readonly name: 'picture' | 'icon' | 'logo' | 'night_logo';
  readonly picture: ComponentChildren;
  readonly upload: (file: Blob) => Promise<unknown>;
  /** Without it there is nothing to remove. */
  readonly remove?: (() => Promise<unknown>) | false;
};

/** A picture that is replaced by choosing a file, and removed if it is an own one. */
export function PictureField({ name, picture, upload, remove = false }: PictureFieldProps) {
  const field = file(name);
  return (
    <div class="picture row">
      {picture}
      <Form fields={[field]} save={(given) => upload(given[name])} />
      {remove && <ActionButton about={field.label} {...removal(remove)} />}
    </div>
  );
}
