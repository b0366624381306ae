/**
 * Makes pictures that are the same for everybody when they are first asked for, and keeps them. One that failed is made anew for
 * whoever asks next.
 *
 * @param draw makes the picture of a key; there are few of them
 */
export function drawOnce<Key>(draw: (key: Key) => Promise<Buffer>): (key: Key) => Promise<Buffer> {
  const drawn = new Map<Key, Promise<Buffer>>();
  return (key) => {
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const drawing = draw(key);
    drawn.set(key, drawing);
    // Who asked hears of the failure.
    drawing.catch(() => drawn.delete(key));
    return drawing;
  };
}
