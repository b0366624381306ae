/** What the pages have in common that somebody sees who is not signed in. */
import '../styles/sign-in.css';
import { limits } from '@parley/api/limits';
import { h } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

import { entranceTexts } from '../entrance-texts.ts';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

type EntranceCardProps = { readonly title: string; readonly children: ComponentChildren };

export function EntranceCard({ title, children }: EntranceCardProps) {
  useTitle(title);
  return (
    <div class="sign-in-card">
      <header>
        <h1>{title}</h1>
      </header>
      {children}
    </div>
  );
}

type FieldProps = {
  readonly label: string;
  readonly name: string;
  readonly type?: 'email' | 'password' | 'text';
  readonly autocomplete: 'current-password' | 'name' | 'new-password' | 'username';
  readonly maxLength: number;
  readonly autoFocus?: boolean;
  readonly defaultValue?: string | undefined;
  readonly 'aria-describedby'?: string;
};

/** An input that must be filled in, below its label. */
export function EntranceField({ label, type = 'text', ...attributes }: FieldProps) {
  return (
    <label class="field">
      {label}
      {h('input', { type, required: true, ...attributes })}
    </label>
  );
}

export function AddressField(props: Pick<FieldProps, 'name' | 'autoFocus'>) {
  const label = entranceTexts.signIn.address;
  return (
    <EntranceField label={label} type="email" autocomplete="username" maxLength={254} {...props} />
  );
}

export function PasswordField(props: Pick<FieldProps, 'label' | 'autocomplete'>) {
  const isNew = props.autocomplete === 'new-password';
  const described = isNew && { 'aria-describedby': 'password-rule' };
  return (
    <div>
      <EntranceField type="password" name="password" maxLength={1_000} {...described} {...props} />
      {isNew && (
        <small class="hint" id="password-rule">
          {entranceTexts.signIn.passwordRule(limits.passwordMinLength)}
        </small>
      )}
    </div>
  );
}
