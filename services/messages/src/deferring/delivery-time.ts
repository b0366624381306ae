/** ISO 8601, with a space in place of the T too: a date, then a time, then an offset; the last two may be left out. */
const deliveryTime =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?<offset>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** @returns undefined when the text is no time that there is; a time without an offset, in no zone yet */
function parseTime(text: string): Temporal.ZonedDateTime | Temporal.PlainDateTime | undefined {
  const found = deliveryTime.exec(text.trim());
  if (found === null) return undefined;
  const offset = found.groups?.['offset'];
  try {
    if (offset === undefined) return Temporal.PlainDateTime.from(found[0]);
    const zone = offset.toUpperCase() === 'Z' ? 'UTC' : offset;
    return Temporal.Instant.from(found[0]).toZonedDateTimeISO(zone);
  } catch {
    return undefined;
  }
}

function inZone(
  time: Temporal.PlainDateTime,
  zone: string | undefined,
): Temporal.ZonedDateTime | undefined {
  if (zone === undefined) return undefined;
  try {
    return time.toZonedDateTime(zone);
  } catch {
    return undefined;
  }
}

/**
 * Reads when a message is to be delivered.
 *
 * @param tzGuess the zone of a time without an offset, as the client takes it to be
 * @param findOwnZone gives the zone that the sender has set; asked only where the client's is none
 * @returns the time in the zone or at the offset that it was read with, or undefined when the text is no time
 */
export async function readDeliveryTime(
  text: string,
  tzGuess: string | undefined,
  findOwnZone: () => Promise<string | undefined>,
): Promise<Temporal.ZonedDateTime | undefined> {
  const time = parseTime(text);
  if (!(time instanceof Temporal.PlainDateTime)) return time;
  return inZone(time, tzGuess) ?? inZone(time, await findOwnZone()) ?? time.toZonedDateTime('UTC');
}

/** @returns the time in ISO 8601 with its offset, `+00:00` for UTC */
export function writeDeliveryTime(time: Temporal.ZonedDateTime): string {
  return time.toString({ timeZoneName: 'never' });
}
