import type { Person } from '../../data/state.ts';
import { isOwnPicture } from './rendered-rules.ts';

/** Apart from each other for ids that follow one another. */
const hueStepDegrees = 137;

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x3f))
    .join('')
    .toUpperCase();
}

type AvatarProps = {
  readonly person: Pick<Person, 'user_id' | 'full_name'> & Partial<Pick<Person, 'avatar_url'>>;
  readonly size: 20 | 24 | 32 | 36 | 64;
};

/**
 * A person's picture, or initials for a person without one that the page may load. The name stands beside it, so it is silent for screen readers.
 *
 * @param props.size its width, CSS pixels
 */
export function Avatar({ person: { user_id, full_name, avatar_url }, size }: AvatarProps) {
  // Set by script and not by an attribute, which the page's policy would refuse.
  const style = { '--size': `${size}px`, '--hue': `${user_id * hueStepDegrees}deg` };
  return isOwnPicture(avatar_url ?? '', location.origin) ? (
    <img class="avatar" style={style} src={avatar_url ?? ''} alt="" />
  ) : (
    <span class="avatar" style={style} data-initials={initialsOf(full_name)} aria-hidden="true" />
  );
}
