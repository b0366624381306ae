/**
 * Forms are declared: a field has a name, the one of the server's parameter, a text and a control. The type of its value follows from its
 * constructor, so that a form only compiles with an operation that takes what it asks for.
 */
import type { Person } from '../../data/state.ts';
import { settingsTexts } from '../../settings-texts.ts';

export type FieldValue = string | number | boolean | readonly number[] | Blob;

type Choice<Value> = { readonly value: Value; readonly label: string };

export type Control =
  | { readonly kind: 'switch' }
  | {
      readonly kind: 'line';
      readonly type: 'text' | 'password' | 'email' | 'url' | 'date' | 'color';
      readonly maxLength?: number;
      readonly required?: boolean;
      readonly autoComplete?: 'current-password' | 'new-password';
    }
  | { readonly kind: 'area'; readonly maxLength: number }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly Choice<string | number>[] }
  | { readonly kind: 'people'; readonly people: readonly Person[] }
  | { readonly kind: 'file' };

export type Field<Name extends string = string, Value extends FieldValue = FieldValue> = {
  readonly name: Name;
  readonly label: string;
  readonly help?: string;
  readonly control: Control;
  /** The value of a form that begins empty. */
  readonly initial: Value;
};

/** What a form with these fields gives. */
export type ValuesOf<Each extends Field> = {
  readonly [Item in Each as Item['name']]: Item['initial'];
};

const fieldTexts: {
  readonly [name in FieldName]: { readonly label: string; readonly help?: string };
} = settingsTexts.fields;

/** A field of which `settingsTexts.fields` has the text. */
export type FieldName = keyof typeof settingsTexts.fields;

function declareField<Name extends FieldName, Value extends FieldValue>(
  name: Name,
  control: Control,
  initial: Value,
): Field<Name, Value> {
  return { name, ...fieldTexts[name], control, initial };
}

export function toggle<Name extends FieldName>(name: Name): Field<Name, boolean> {
  return declareField<Name, boolean>(name, { kind: 'switch' }, false);
}

export function line<Name extends FieldName>(
  name: Name,
  options: Omit<Extract<Control, { readonly kind: 'line' }>, 'kind' | 'type'> & {
    readonly type?: 'text' | 'password' | 'email' | 'url' | 'date' | 'color';
  } = {},
): Field<Name, string> {
  return declareField<Name, string>(name, { type: 'text', ...options, kind: 'line' }, '');
}

export function area<Name extends FieldName>(name: Name, maxLength: number): Field<Name, string> {
  return declareField<Name, string>(name, { kind: 'area', maxLength }, '');
}

export function amount<Name extends FieldName>(
  name: Name,
  min: number,
  max: number,
): Field<Name, number> {
  return declareField<Name, number>(name, { kind: 'number', min, max }, min);
}

/** @param choices the first is what a form begins with */
export function choice<Name extends FieldName, Value extends string | number>(
  name: Name,
  choices: readonly [Choice<Value>, ...Choice<Value>[]],
): Field<Name, Value> {
  return declareField(name, { kind: 'choice', choices }, choices[0].value);
}

/** @param labels by value: 1, 2 and so on, where some may be missing */
export function policy<Name extends FieldName, Value extends number>(
  name: Name,
  labels: { readonly [Each in Value]: string },
): Field<Name, Value> {
  const [first, ...others] = Object.entries<string>(labels).map(([value, label]) => ({
    value: Number(value) as Value,
    label,
  }));
  if (first === undefined) throw new Error(`${name} has no choices`);
  return choice(name, [first, ...others]);
}

export function people<Name extends FieldName>(
  name: Name,
  offered: readonly Person[],
): Field<Name, readonly number[]> {
  return declareField<Name, readonly number[]>(name, { kind: 'people', people: offered }, []);
}

export function file<Name extends FieldName>(name: Name): Field<Name, Blob> {
  return declareField<Name, Blob>(name, { kind: 'file' }, new Blob());
}

/** Reads a field of a form on the page. */
export function readField({ name, control, initial }: Field, form: HTMLFormElement): FieldValue {
  const data = new FormData(form);
  const raw = data.get(name);
  switch (control.kind) {
    case 'switch':
      return raw !== null;
    case 'number':
      return Number(raw);
    case 'choice':
      return control.choices.find(({ value }) => String(value) === raw)?.value ?? initial;
    case 'people':
      return data.getAll(name).map(Number);
    default:
      return raw ?? initial;
  }
}

/** Shows a value in a field of a form on the page; choices of people and files keep their own. */
export function writeField({ name }: Field, form: HTMLFormElement, value: FieldValue): void {
  const element = form.elements.namedItem(name);
  if (element instanceof HTMLInputElement && typeof value === 'boolean') element.checked = value;
  else if (
    (element instanceof HTMLInputElement ||
      element instanceof HTMLSelectElement ||
      element instanceof HTMLTextAreaElement) &&
    (typeof value === 'string' || typeof value === 'number')
  )
    element.value = String(value);
}
