/**
 * Forms are declared: a field has a name, the one of the server's parameter, and a control. The type of its value follows from its constructor,
 * so that a form only compiles with an operation that takes what it asks for. `settingsTexts.fields` has the texts.
 */
import type { InputHTMLAttributes } from 'preact';

import type { Person, Stream } from '../../data/state.ts';
import { passwordRule, settingsTexts as t } from '../../settings-texts.ts';

export type FieldValue = string | number | boolean | readonly number[] | Blob;

export type Choice<Value extends string | number = string | number> = readonly [
  value: Value,
  label: string,
];

type Attributes = Pick<
  InputHTMLAttributes,
  'type' | 'maxLength' | 'min' | 'max' | 'required' | 'accept' | 'autoComplete'
>;

export type Field<Name extends string = string, Value extends FieldValue = FieldValue> = {
  readonly name: Name;
  readonly label: string;
  readonly help?: string | undefined;
  readonly kind: 'input' | 'textarea' | 'select' | 'picker';
  readonly attributes?: Attributes;
  /** Of a `select` or `picker`. */
  readonly choices?: readonly Choice[];
  /** The value of a form that begins empty. */
  readonly initial: Value;
};

/** What a form with these fields gives. */
export type ValuesOf<Each extends Field> = {
  readonly [Item in Each as Item['name']]: Item['initial'];
};

type FieldName = keyof typeof t.fields;
type ListedName = FieldName & keyof typeof t.choices;

const fieldTexts: {
  readonly [name in FieldName]: string | readonly [label: string, help: string];
} = t.fields;

function declare<Name extends FieldName, Value extends FieldValue>(
  name: Name,
  initial: Value,
  control: Pick<Field, 'attributes' | 'choices'> & { readonly kind?: Field['kind'] },
): Field<Name, Value> {
  const [label = '', help] = [fieldTexts[name]].flat();
  return { name, label, help, kind: 'input', ...control, initial };
}

export function toggles<Name extends FieldName>(...names: readonly Name[]) {
  return names.map((name) =>
    declare<Name, boolean>(name, false, { attributes: { type: 'checkbox' } }),
  );
}

export function line<Name extends FieldName>(name: Name, attributes: Attributes = {}) {
  return declare<Name, string>(name, '', { attributes });
}

/** The name of a person or a bot. */
export const nameField = line('full_name', { required: true, maxLength: 100 });

/** The password of a new account. */
export const newPasswordField = {
  ...line('password', { type: 'password', required: true, autoComplete: 'new-password' }),
  help: passwordRule,
};

export function area<Name extends FieldName>(name: Name, maxLength: number) {
  return declare<Name, string>(name, '', { kind: 'textarea', attributes: { maxLength } });
}

export function amount<Name extends FieldName>(name: Name, max: number) {
  const attributes = { type: 'number', required: true, min: 0, max } as const;
  return declare<Name, number>(name, 0, { attributes });
}

export function file<Name extends FieldName>(name: Name) {
  const attributes = { type: 'file', required: true, accept: 'image/*' } as const;
  return declare<Name, Blob>(name, new Blob(), { attributes });
}

/** @param choices the first is what a form begins with */
export function choice<Name extends FieldName, Value extends string | number>(
  name: Name,
  choices: readonly [Choice<Value>, ...Choice<Value>[]],
): Field<Name, Value> {
  return declare(name, choices[0][0], { kind: 'select', choices });
}

/** A choice from `settingsTexts.choices`. */
export function listed<Name extends ListedName>(name: Name) {
  type Value = keyof (typeof t.choices)[Name] & (string | number);
  const [first, ...others] = Object.entries<string>(t.choices[name]).map(
    ([value, label]) =>
      [(/^\d+$/.test(value) ? Number(value) : value) as Value, label] as Choice<Value>,
  );
  if (first === undefined) throw new Error(`${name} has no choices`);
  return choice(name, [first, ...others]);
}

/** Any of many things, by their ids. */
export function several<Name extends FieldName>(name: Name, choices: readonly Choice<number>[]) {
  return declare<Name, readonly number[]>(name, [], { kind: 'picker', choices });
}

/** What makes of things that were chosen before those that are chosen now. */
export function differenceOf(before: ReadonlySet<number>, chosen: readonly number[]) {
  const after = new Set(chosen);
  return { add: [...after.difference(before)], remove: [...before.difference(after)] };
}

export function peopleChoices(people: readonly Person[]): readonly Choice<number>[] {
  return people.map(({ user_id, full_name }) => [user_id, full_name]);
}

export function streamChoices(streams: readonly Stream[]): readonly Choice<number>[] {
  return streams
    .map(({ stream_id, name }) => [stream_id, `#${name}`] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}

/** @returns what a form on the page has in a field */
export function readField({ name, initial, kind, choices }: Field, data: FormData): FieldValue {
  if (kind === 'select')
    return choices?.find(([value]) => String(value) === data.get(name))?.[0] ?? initial;
  if (typeof initial === 'boolean') return data.has(name);
  if (typeof initial === 'number') return Number(data.get(name));
  if (typeof initial === 'object' && !(initial instanceof Blob))
    return data.getAll(name).map(Number);
  return data.get(name) ?? initial;
}
