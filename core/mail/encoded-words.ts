/** An encoded word (RFC 2047 §2): its charset without a language (RFC 2231 §5), its encoding and its text. */
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;
/** Encoded words with nothing but white space between them, which readers ignore (RFC 2047 §6.2). */
const RUN = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=(?:\s*=\?[^?\s]+\?[bq]\?[^?\s]*\?=)+/gi;

/** Charsets whose words begin and end in ASCII by escape sequences, so that they cannot be split and must not be joined (RFC 1468). */
const STATEFUL = /^(?:iso-2022-|hz-|utf-7)/i;

const bytesOf = (encoding: string, text: string): Buffer =>
  encoding.toLowerCase() === "b"
    ? Buffer.from(text, "base64")
    : Buffer.from(
        text.replaceAll("_", " ").replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      );

/**
 * A header's text with its neighbouring encoded words of one charset joined. Mail programs split characters between words, which RFC 2047 §5
 * forbids: decoded one by one, both parts of such a character are unreadable.
 */
export const joinedWords = (text: string): string =>
  text.replace(RUN, (run) => {
    const joined: { charset: string; bytes: Buffer[] }[] = [];
    for (const [, charset = "", encoding = "", content = ""] of run.matchAll(WORD)) {
      const last = joined.at(-1);
      if (last?.charset.toLowerCase() === charset.toLowerCase() && !STATEFUL.test(charset))
        last.bytes.push(bytesOf(encoding, content));
      else joined.push({ charset, bytes: [bytesOf(encoding, content)] });
    }
    return joined.map(({ charset, bytes }) => `=?${charset}?B?${Buffer.concat(bytes).toString("base64")}?=`).join(" ");
  });
