import { canBePushed, isPushed, startPushes, stopPushes } from '../../data/push.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { ActionButton } from './action-button.tsx';
import type { SectionProps } from './section.ts';

/** Whether this browser is told while no page is looked at. */
export function PushSwitch({ app }: SectionProps) {
  if (!canBePushed) return <p>{t.push.unsupported}</p>;
  const isOn = isPushed.value;
  return (
    <>
      <p>{isOn ? t.push.on : t.push.off}</p>
      <ActionButton
        label={isOn ? t.push.turnOff : t.push.turnOn}
        run={async () => (isOn ? stopPushes(app) : startPushes(app))}
      />
    </>
  );
}
