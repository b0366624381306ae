import { settings } from './settings.ts';

export type SettingDescription = {
  readonly name: string;
  /** Null when unset is allowed, undefined when the setting is required. */
  readonly default: string | null | undefined;
  readonly secret: boolean;
  readonly meaning: string;
};

/** Every setting with its default and meaning, in the order of the table. */
export function describeConfig(): readonly SettingDescription[] {
  return Object.values(settings).map(({ name, defaultText, secret, meaning }) => ({
    name,
    default: defaultText,
    secret,
    meaning,
  }));
}

/** The same as a Markdown table, for the documentation. */
export function configAsMarkdown(): string {
  const rows = describeConfig().map((setting) => {
    const name = setting.secret
      ? `\`${setting.name}\` or \`${setting.name}_FILE\``
      : `\`${setting.name}\``;
    const value =
      setting.default === undefined
        ? '**required**'
        : setting.default === null
          ? 'unset'
          : `\`${setting.default}\``;
    return `| ${name} | ${value} | ${setting.meaning} |`;
  });
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}
