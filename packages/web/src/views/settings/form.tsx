/** The two ways in which settings are saved: each field when it changes, or all fields of a form by its button. */
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import type { Field, FieldValue, ValuesOf } from './fields.ts';
import { readField, writeField } from './fields.ts';
import { OutcomeNote, useOutcome } from './outcome.tsx';
import { PeoplePicker } from './people-picker.tsx';

type ControlProps = {
  readonly field: Field;
  readonly id: string;
  readonly value: FieldValue;
  readonly onPick?: (ids: readonly number[]) => void;
};

function FieldControl({ field: { name, control, help }, id, value, onPick }: ControlProps) {
  const common = { id, name, 'aria-describedby': help === undefined ? undefined : `${id}-help` };
  switch (control.kind) {
    case 'switch':
      return <input {...common} type="checkbox" />;
    case 'line': {
      const { kind: _, ...attributes } = control;
      return h('input', { ...common, ...attributes });
    }
    case 'area':
      return <textarea {...common} rows={3} maxLength={control.maxLength} />;
    case 'number':
      return <input {...common} type="number" required min={control.min} max={control.max} />;
    case 'choice':
      return (
        <select {...common}>
          {control.choices.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      );
    case 'people':
      return (
        <PeoplePicker
          name={name}
          people={control.people}
          chosen={Array.isArray(value) ? value : []}
          {...(onPick === undefined ? {} : { onChange: onPick })}
        />
      );
    case 'file':
      return <input {...common} type="file" accept="image/*" required />;
  }
}

function LabelledField({
  children,
  ...props
}: Omit<ControlProps, 'id'> & { readonly children?: ComponentChildren }) {
  const id = useId();
  const { control, label, help } = props.field;
  const element = <FieldControl {...props} id={id} />;
  const helpText = help !== undefined && (
    <small class="hint" id={`${id}-help`}>
      {help}
    </small>
  );
  if (control.kind === 'people')
    return (
      <fieldset class="field" data-kind="people">
        <legend>{label}</legend>
        {element}
        {helpText}
        {children}
      </fieldset>
    );
  return (
    <div class="field" data-kind={control.kind}>
      <label for={id}>{label}</label>
      {element}
      {helpText}
      {children}
    </div>
  );
}

function SavedField({
  field,
  value,
  save,
}: {
  readonly field: Field;
  readonly value: FieldValue;
  readonly save: (value: FieldValue) => Promise<unknown>;
}) {
  const form = useRef<HTMLFormElement>(null);
  const { outcome, attempt } = useOutcome();
  useLayoutEffect(() => {
    if (form.current !== null) writeField(field, form.current, value);
  }, [value]);
  const store = async (next: FieldValue): Promise<void> => {
    const isDone = await attempt(() => save(next));
    const isTyped = field.control.kind === 'line' || field.control.kind === 'area';
    if (!isDone && !isTyped && form.current !== null) writeField(field, form.current, value);
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => event.preventDefault()}
      onChange={({ currentTarget }) => {
        if (currentTarget.reportValidity()) void store(readField(field, currentTarget));
      }}
    >
      <LabelledField field={field} value={value} onPick={(ids) => void store(ids)}>
        <OutcomeNote outcome={outcome} />
      </LabelledField>
    </form>
  );
}

/**
 * Fields that are saved one by one when they change.
 *
 * @param props.values what they show; it follows the state
 */
export function SavedFields<Each extends Field>({
  fields,
  values,
  save,
}: {
  readonly fields: readonly Each[];
  readonly values: { readonly [Name in Each['name']]: FieldValue };
  readonly save: (change: Partial<ValuesOf<Each>>) => Promise<unknown>;
}) {
  return (
    <>
      {fields.map((field) => (
        <SavedField
          key={field.name}
          field={field}
          value={values[field.name as Each['name']]}
          save={(value) => save({ [field.name]: value } as Partial<ValuesOf<Each>>)}
        />
      ))}
    </>
  );
}

/** Fields that are given together, by a button. After that the form is empty again. */
export function SubmitForm<Each extends Field>({
  title,
  fields,
  label,
  doneText,
  submit,
}: {
  readonly title?: string;
  readonly fields: readonly Each[];
  readonly label: string;
  readonly doneText?: string;
  readonly submit: (values: ValuesOf<Each>) => Promise<unknown>;
}) {
  const form = useRef<HTMLFormElement>(null);
  const round = useSignal(0);
  const { outcome, attempt } = useOutcome();
  useLayoutEffect(() => {
    if (form.current !== null)
      for (const field of fields) writeField(field, form.current, field.initial);
  }, [round.value]);
  const give = async (element: HTMLFormElement): Promise<void> => {
    const values = Object.fromEntries(
      fields.map((field) => [field.name, readField(field, element)]),
    ) as ValuesOf<Each>;
    if (!(await attempt(() => submit(values), doneText))) return;
    element.reset();
    round.value += 1;
  };
  return (
    <form
      ref={form}
      class="submit-form"
      {...(title === undefined ? {} : { 'aria-label': title })}
      onSubmit={(event) => {
        event.preventDefault();
        if (outcome.kind !== 'working') void give(event.currentTarget);
      }}
    >
      {title !== undefined && <h2>{title}</h2>}
      {fields.map((field) => (
        <LabelledField
          key={field.control.kind === 'people' ? `${field.name}${round.value}` : field.name}
          field={field}
          value={field.initial}
        />
      ))}
      <p class="form-end">
        <button class="primary" disabled={outcome.kind === 'working'}>
          {label}
        </button>
        <OutcomeNote outcome={outcome} />
      </p>
    </form>
  );
}
