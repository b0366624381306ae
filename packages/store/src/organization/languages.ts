/** Languages that clients may be told to speak. The server's own texts are English. */

/** Those into which clients of this interface are translated. */
const languageCodes: readonly string[] = (
  'ar bg ca cs de en en-gb es fa fi fr gl hi hu id it ja ko lt ml nl pl pt pt-br ro ru sr sv ta tr uk vi ' +
  'zh-hans zh-hant'
).split(' ');

const names = new Map(
  languageCodes.map((code) => [
    code,
    new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
  ]),
);

/**
 * @param code such as `de` or `zh-hans`, which has no other spelling
 * @returns the language's name in that language, or undefined when clients do not speak it
 */
export function findLanguageName(code: string): string | undefined {
  return names.get(code);
}
