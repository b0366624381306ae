import '../../styles/settings.css';
import type { ComponentChildren } from 'preact';

type SettingsPageProps = {
  readonly title: string;
  /** Where the page leads back to, if it does. */
  readonly back?: readonly [address: string, label: string] | undefined;
  /** Beside the page; narrow ones show it alone until something is chosen there. */
  readonly navigation?: ComponentChildren;
  readonly isChosen?: boolean;
  readonly children: ComponentChildren;
};

/** The frame of settings, those of streams too. */
export function SettingsPage({ title, back, navigation, isChosen, children }: SettingsPageProps) {
  return (
    <div class="page settings-page">
      <div class="settings" data-chosen={isChosen} data-single={navigation === undefined}>
        {navigation}
        <div class="settings-section">
          {back !== undefined && (
            <a class="settings-back" href={back[0]}>
              {back[1]}
            </a>
          )}
          <h1>{title}</h1>
          {children}
        </div>
      </div>
    </div>
  );
}
