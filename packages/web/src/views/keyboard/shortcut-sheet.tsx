import '../../styles/keyboard.css';
import { texts } from '../../texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { commands } from './commands.ts';

/** What the key does is with what has the focus. */
const ofMessages = { keys: ['Enter'], label: texts.keyboard.commands.open };

/** The list of what keys do. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={texts.keyboard.title} onClose={onClose}>
      <dl class="shortcuts">
        {[...commands, ofMessages].map(({ keys, label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {keys.map((each) => (
                <kbd key={each}>{texts.keyboard.key(each)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <h3>{texts.keyboard.writing}</h3>
      <dl class="shortcuts">
        {Object.entries(texts.keyboard.whileWriting).map(([key, label]) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
