const offset = String.raw`(?<offset>Z|[+-]\d\d(?::?\d\d)?)`;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The forms of a time (reference facts, messages 3.2). */
const forms: readonly RegExp[] = [
  // ISO 8601, with a space in place of the T and slashes in the date too; time and offset may be left out.
  new RegExp(
    String.raw`^(?<year>\d{4})(?<dash>[-/])(?<month>\d\d)\k<dash>(?<day>\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)${offset}?)?$`,
    'i',
  ),
  // The same without separators.
  new RegExp(
    String.raw`^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<time>\d{4}(?:\d\d)?)${offset}?$`,
    'i',
  ),
  // The form of HTTP headers.
  new RegExp(
    String.raw`^(?<weekday>${weekdays.join('|')}), (?<day>\d\d) (?<month>${months.join('|')}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) (?<offset>GMT)$`,
  ),
];

type FormGroups = {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly weekday?: string;
  readonly time?: string;
  readonly offset?: string;
};

function findForm(text: string): FormGroups | undefined {
  for (const form of forms) {
    const { year, month, day, ...rest } = form.exec(text)?.groups ?? {};
    if (year === undefined || month === undefined || day === undefined) continue;
    const number = months.indexOf(month) + 1;
    return { year, month: number === 0 ? month : String(number).padStart(2, '0'), day, ...rest };
  }
  return undefined;
}

/** @returns undefined if the text is no valid time; a time without an offset has no zone yet */
function parseTime(text: string): Temporal.ZonedDateTime | Temporal.PlainDateTime | undefined {
  const found = findForm(text.trim());
  if (found === undefined) return undefined;
  const { year, month, day, weekday, time = '00:00' } = found;
  const date = `${year}-${month}-${day}`;
  try {
    const named = weekdays[Temporal.PlainDate.from(date).dayOfWeek - 1];
    if (weekday !== undefined && weekday !== named) return undefined;
    if (found.offset === undefined) return Temporal.PlainDateTime.from(`${date}T${time}`);
    const zone = /^(?:Z|GMT)$/i.test(found.offset) ? 'UTC' : found.offset;
    return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone);
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
 * Reads the delivery time of a message.
 *
 * @param tzGuess the client's guess of the zone, for a time without an offset
 * @param findOwnZone returns the sender's own zone; called only if the client gave none
 * @returns the time in its zone or at its offset, or undefined if the text is not a time
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
