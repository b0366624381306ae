/** Colours of initials that `base.css` has. */
const colours = 8;

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x3f))
    .join('')
    .toUpperCase();
}

/** Pictures that people uploaded are the server's own; others (drawn ones of foreign servers) are never loaded. */
function isOwnPicture(address: string | null | undefined): address is string {
  if (address === null || address === undefined || address === '') return false;
  const { origin, pathname } = new URL(address, location.origin);
  return origin === location.origin && pathname.startsWith('/user_avatars/');
}

/**
 * A person's picture, or initials for a person without one. The name stands beside it, so it is silent for screen readers.
 *
 * @param props.size its width, CSS pixels
 */
export function Avatar({
  person,
  size,
}: {
  readonly person:
    | {
        readonly user_id: number;
        readonly full_name: string;
        readonly avatar_url?: string | null | undefined;
      }
    | undefined;
  readonly size: 20 | 24 | 32 | 36 | 64;
}) {
  if (isOwnPicture(person?.avatar_url))
    return <img class="avatar" data-size={size} src={person?.avatar_url ?? ''} alt="" />;
  return (
    <span
      class="avatar"
      data-size={size}
      data-colour={(person?.user_id ?? 0) % colours}
      data-initials={initialsOf(person?.full_name || '?')}
      aria-hidden="true"
    />
  );
}
