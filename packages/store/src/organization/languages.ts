/** The languages that a client may be told to use. The server's own texts are English. */

/** The languages into which clients of this interface are translated. */
const languageCodes: ReadonlySet<string> = new Set(
  (
    'ar bg ca cs de en en-gb es fa fi fr gl hi hu id it ja ko lt ml nl pl pt pt-br ro ru sr sv ta tr uk vi ' +
    'zh-hans zh-hant'
  ).split(' '),
);

/**
 * @param code such as `de` or `zh-hans`, in this spelling only
 * @returns the language's name in that language, or undefined if clients do not have it
 */
export function findLanguageName(code: string): string | undefined {
  if (!languageCodes.has(code)) return undefined;
  return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
}
