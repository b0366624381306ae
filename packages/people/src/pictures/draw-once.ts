/**
 * Makes pictures that are the same for everybody at their first request, and keeps them. A failed one is made again at the next request.
 *
 * @param draw makes the picture of a key; there are few keys
 */
export function drawOnce<Key>(draw: (key: Key) => Promise<Buffer>): (key: Key) => Promise<Buffer> {
  const drawn = new Map<Key, Promise<Buffer>>();
  return (key) => {
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const drawing = draw(key);
    drawn.set(key, drawing);
    // The caller gets the failure.
    drawing.catch(() => drawn.delete(key));
    return drawing;
  };
}
