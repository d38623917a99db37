/** Quote marks in front of a line. */
const QUOTED = /^[>\s]*/;
/** A line that begins a signature: its delimiter (RFC 3676 §4.3), or a closing phrase in Dutch, English or German. */
const BEGINS =
  /^(?:-- ?|(?:met )?(?:vriendelijke|hartelijke|sportieve|zonnige) groet(?:en)?|groet(?:en|jes)?|m\.?v\.?g\.?|(?:(?:kind|best|warm)(?:est)? )?regards|best wishes|(?:yours )?(?:sincerely|faithfully|truly)|cheers|(?:mit )?(?:freundlichen|besten|herzlichen) grü(?:ß|ss)en|(?:viele|liebe|beste) grü(?:ß|ss)e|m\.?f\.?g\.?)[\s,.!–-]*$/i;
/** A line that begins the message that was answered or forwarded. */
const ANSWERED = /^(?:-{2,}.*-{2,}$|(?:from|van|von|sent|verzonden|gesendet):\s|(?:on|op|am)\s.*(?:wrote|schreef|schrieb).*:$)/i;

/** Characters of the longest line that is a closing phrase or an introduction. */
const LONGEST = 200;

const matches = (pattern: RegExp, line: string): boolean => line.length <= LONGEST && pattern.test(line);

/**
 * The text of a mail without its signatures: the lines from a delimiter or a closing phrase to the next message in it, which is quoted,
 * forwarded or answered.
 */
export function withoutSignatures(text: string): string {
  let isSignature = false;
  let depth = 0;
  return text
    .split("\n")
    .filter((line) => {
      const [quote = ""] = QUOTED.exec(line) ?? [];
      const words = line.slice(quote.length).trimEnd();
      const marks = quote.replaceAll(/[^>]/g, "").length;
      if (words !== "" && (marks !== depth || matches(ANSWERED, words))) isSignature = false;
      if (words !== "") depth = marks;
      if (matches(BEGINS, words)) isSignature = true;
      return !isSignature;
    })
    .join("\n");
}
