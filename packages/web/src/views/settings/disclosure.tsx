import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** @param props.about which of many it tells more of, for those who do not see where it stands */
export function Disclosure({
  label,
  about,
  content,
}: {
  readonly label: string;
  readonly about?: string;
  /** Asked for when it is opened. */
  readonly content: () => ComponentChildren;
}) {
  const isOpen = useSignal(false);
  return (
    <details
      class="disclosure"
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary aria-label={about === undefined ? undefined : `${label}: ${about}`}>{label}</summary>
      {isOpen.value && <div class="disclosure-content">{content()}</div>}
    </details>
  );
}
