const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const OLD_WORD = "application/msword";
const OLD_EXCEL = "application/vnd.ms-excel";
const ICON = "image/x-icon";

/** Pictures a caller may send (conventions §18). */
export const PICTURE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml", ICON];
/** Tables a caller may send for an import: CSV, and workbooks of Excel since 2007. */
export const TABLE_TYPES: readonly string[] = ["text/csv", EXCEL];
/** A message as a mail program saves it (RFC 5322); taken only where messages are. */
export const MAIL_TYPE = "message/rfc822";
/** Every type a caller may send (conventions §18). */
export const FILE_TYPES: readonly string[] = [
  ...PICTURE_TYPES,
  "application/pdf",
  "text/plain",
  "text/csv",
  "application/zip",
  OLD_WORD,
  WORD,
  OLD_EXCEL,
  EXCEL,
];
/** How much of a message has to be text: its body may be anything. */
const MAIL_HEAD = 256;
const INLINE = new Set(["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"]);

/** Other names for the same types, as browsers and older systems send them. */
const ALIASES: Record<string, string> = {
  "image/vnd.microsoft.icon": ICON,
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "application/x-pdf": "application/pdf",
  "application/x-zip-compressed": "application/zip",
  "application/csv": "text/csv",
};
/** What the bytes of a container say, for the types whose files are such containers. */
const CONTAINERS: Record<string, readonly string[]> = {
  [WORD]: ["application/zip", "application/x-cfb"],
  [EXCEL]: ["application/zip", "application/x-cfb"],
  [OLD_WORD]: ["application/x-cfb"],
  [OLD_EXCEL]: ["application/x-cfb"],
};

/** Whether a browser may show the type in place; every other one is saved (conventions §18). */
export const isInline = (type: string): boolean => INLINE.has(type);

/** A media type without parameters, in lower case and under its usual name. */
export function plainType(declared: string): string {
  const [bare = ""] = declared.split(";");
  const type = bare.trim().toLowerCase();
  return ALIASES[type] ?? type;
}

/** Whether bytes are text: UTF-8 or Windows-1252 without control characters, or UTF-16 with its mark. */
function isText(head: Uint8Array): boolean {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b);
}

/** Whether the root element is `svg`, whatever comments, declarations and document types stand before it. */
function isSvg(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head).replace(/^\ufeff/, "");
  let rest = text.trimStart();
  for (;;) {
    const [opening, closing] = rest.startsWith("<!--") ? ["<!--", "-->"] : rest.startsWith("<?") ? ["<?", "?>"] : ["<!", ">"];
    if (!rest.startsWith(opening)) return /^<([a-z_][\w.-]*:)?svg[\s/>]/i.test(rest);
    const doctype = opening === "<!" ? /^<![^[>]*(\[[^\]]*\]\s*)?>/.exec(rest)?.[0] : undefined;
    const end = doctype?.length ?? rest.indexOf(closing, opening.length) + closing.length;
    if (end < opening.length + closing.length) return false;
    rest = rest.slice(end).trimStart();
  }
}

/**
 * The type of a file, decided by its bytes where these tell and by its declaration where they do not.
 * @param declared what the caller says it is
 * @param name its file name, which tells a CSV from an old workbook: Windows calls both `application/vnd.ms-excel`
 * @param sniffed the type its signature names, if it has one
 * @param head its first bytes, 64 KiB at most
 * @returns null when bytes and declaration cannot both be right, or the type is not one a caller may send
 */
export function judgeType(declared: string, name: string, sniffed: string | undefined, head: Uint8Array): string | null {
  const claimed = plainType(declared);
  const found = sniffed === undefined ? undefined : plainType(sniffed);
  // Mail programs save messages as `.eml`, which few browsers have a type for; headers of a message are text.
  if (claimed === MAIL_TYPE || /\.eml$/i.test(name)) return isText(head.subarray(0, MAIL_HEAD)) ? MAIL_TYPE : null;
  if (!FILE_TYPES.includes(claimed)) return null;
  if (claimed === "text/plain" || claimed === "text/csv") return isText(head) ? claimed : null;
  if (claimed === OLD_EXCEL && /\.csv$/i.test(name)) return isText(head) ? "text/csv" : null;
  if (claimed === "image/svg+xml") return isText(head) && isSvg(head) ? claimed : null;
  if (found === undefined) return null;
  if (CONTAINERS[claimed]?.includes(found)) return claimed;
  return FILE_TYPES.includes(found) ? found : null;
}
