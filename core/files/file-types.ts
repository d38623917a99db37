const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const OLD_WORD = "application/msword";
const OLD_EXCEL = "application/vnd.ms-excel";
const ICON = "image/x-icon";

/** Accepted picture types (conventions §18). */
export const PICTURE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml", ICON];
/** Accepted table types for imports: CSV, and Excel workbooks since 2007. */
export const TABLE_TYPES: readonly string[] = ["text/csv", EXCEL];
/** Media types of the spreadsheets that the service writes. */
export const SHEET_TYPES = { csv: "text/csv", xlsx: EXCEL } as const;
/** A message as saved by a mail program (RFC 5322); accepted only for messages. */
export const MAIL_TYPE = "message/rfc822";
/** A message as saved by Outlook (MS-OXMSG); accepted only for messages. */
export const OUTLOOK_TYPE = "application/vnd.ms-outlook";
/** An XML file of another system, such as a bank's statement; accepted only where an action names it. */
export const XML_TYPE = "application/xml";
const XML = /\.(xml|camt|camt053)$/i;
/** Cards of people (.vcf); accepted only where an action names it. */
export const VCARD_TYPE = "text/vcard";
const VCF = /\.(vcf|vcard)$/i;
/** A bank's statement in text (MT940, TAB); accepted only where an action names it. */
export const STATEMENT_TYPE = "application/x-bank-statement";
/** Names that banks give to such files, for which browsers know no type. */
const STATEMENT_TEXT = /\.(sta|swi|940|mt940|tab)$/i;
/** Names that mail programs give to saved messages. */
const EML = /\.eml$/i;
const MSG = /\.msg$/i;
/** All accepted types (conventions §18). */
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
/** The endings of accepted files, for those whose sender declares no type. */
const ENDINGS: Readonly<Record<string, string>> = {
  ...{ png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", webp: "image/webp", gif: "image/gif", svg: "image/svg+xml" },
  ...{ ico: ICON, pdf: "application/pdf", txt: "text/plain", csv: "text/csv", zip: "application/zip" },
  ...{ doc: OLD_WORD, docx: WORD, xls: OLD_EXCEL, xlsx: EXCEL },
};
/** Bytes of a message that must be text; its body can be anything. */
const MAIL_HEAD = 256;
const INLINE = new Set(["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"]);

/** Other names of the same types, as browsers and older systems send them. */
const ALIASES: Record<string, string> = {
  "image/vnd.microsoft.icon": ICON,
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "application/x-pdf": "application/pdf",
  "application/x-zip-compressed": "application/zip",
  "application/csv": "text/csv",
  "text/xml": XML_TYPE,
  "text/x-vcard": VCARD_TYPE,
  "text/directory": VCARD_TYPE,
};
/** The detected container types that are valid for a declared type. */
const CONTAINERS: Record<string, readonly string[]> = {
  [WORD]: ["application/zip", "application/x-cfb"],
  [EXCEL]: ["application/zip", "application/x-cfb"],
  [OLD_WORD]: ["application/x-cfb"],
  [OLD_EXCEL]: ["application/x-cfb"],
};

/** Whether a browser may display the type; all others are downloaded (conventions §18). */
export const isInline = (type: string): boolean => INLINE.has(type);

/** A media type without parameters, in lower case and by its usual name. */
function plainType(declared: string): string {
  const [bare = ""] = declared.split(";");
  const type = bare.trim().toLowerCase();
  return ALIASES[type] ?? type;
}

/** The media type that a file's name suggests; `application/octet-stream` for a name that suggests none. */
export const typeByName = (name: string): string =>
  ENDINGS[/\.([a-z]{3,4})$/i.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";

/** Whether bytes are text: UTF-8 or Windows-1252 without control characters, or UTF-16 with a byte order mark. */
function isText(head: Uint8Array): boolean {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b);
}

/** Whether the root element is `svg`, after any comments, declarations and document types. */
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

/** Whether a file's declared type or its name says that it is one of these types. */
export const isClaimed = (declared: string, name: string, types: readonly string[]): boolean =>
  types.includes(plainType(declared)) ||
  (types.includes(XML_TYPE) && XML.test(name)) ||
  (types.includes(VCARD_TYPE) && VCF.test(name)) ||
  (types.includes(STATEMENT_TYPE) && STATEMENT_TEXT.test(name)) ||
  (types.includes(MAIL_TYPE) && EML.test(name)) ||
  (types.includes(OUTLOOK_TYPE) && MSG.test(name));

/** The type of a file that its sender declares as none of the accepted types, by its name. */
function rareType(claimed: string, name: string, found: string | undefined, head: Uint8Array): string | null {
  if (claimed === XML_TYPE || XML.test(name)) return isText(head) ? XML_TYPE : null;
  if (claimed === VCARD_TYPE || VCF.test(name)) return isText(head) ? VCARD_TYPE : null;
  if (STATEMENT_TEXT.test(name)) return isText(head) ? STATEMENT_TYPE : null;
  return isClaimed(claimed, name, [OUTLOOK_TYPE]) && found === "application/x-cfb" ? OUTLOOK_TYPE : null;
}

/**
 * The type of a file, by its bytes if they identify it, otherwise by its declaration.
 * @param declared the caller's declaration
 * @param name its file name, which distinguishes a CSV from an old workbook: Windows calls both `application/vnd.ms-excel`
 * @param sniffed the type of its signature, if it has one
 * @param head its first bytes, 64 KiB at most
 * @returns null if bytes and declaration contradict each other, or the type is not accepted
 */
export function judgeType(declared: string, name: string, sniffed: string | undefined, head: Uint8Array): string | null {
  const claimed = plainType(declared);
  const found = sniffed === undefined ? undefined : plainType(sniffed);
  // Mail programs save messages as `.eml`, for which few browsers know a type; a message's headers are text.
  if (isClaimed(declared, name, [MAIL_TYPE])) return isText(head.subarray(0, MAIL_HEAD)) ? MAIL_TYPE : null;
  if (!FILE_TYPES.includes(claimed)) return rareType(claimed, name, found, head);
  if (claimed === "text/plain" || claimed === "text/csv") return isText(head) ? claimed : null;
  if (claimed === OLD_EXCEL && /\.csv$/i.test(name)) return isText(head) ? "text/csv" : null;
  if (claimed === "image/svg+xml") return isText(head) && isSvg(head) ? claimed : null;
  if (found === undefined) return null;
  if (CONTAINERS[claimed]?.includes(found)) return claimed;
  return FILE_TYPES.includes(found) ? found : null;
}
