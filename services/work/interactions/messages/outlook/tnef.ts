/** A file in a TNEF stream. */
export interface TnefFile {
  name: string;
  bytes: Uint8Array;
}

/** The types that mail programs give to a TNEF stream. */
const TYPES = ["application/ms-tnef", "application/vnd.ms-tnef"];
const SIGNATURE = 0x22_3e_9f_78;
/** Attributes by id (MS-OXTNEF §2.1.3.3). */
const RENDER_DATA = 0x9002;
const TITLE = 0x8010;
const DATA = 0x800f;
const PROPERTIES = 0x9005;
const ATTACHMENT_LEVEL = 2;
/** The stream's signature and key; level, id and length of an attribute; its checksum. */
const [PREFIX, HEAD, CHECKSUM] = [6, 9, 2];
/** The property with the file's long name, and its types: text of 8 bits or of UTF-16 (MS-OXCMSG §2.2.2.9). */
const LONG_NAME = 0x3707;
const [STRING_8, STRING_16] = [0x001e, 0x001f];
/** Bytes of property values without a length (MS-OXTNEF §2.1.3.4). */
const FIXED: Readonly<Record<number, number>> = {
  ...{ 1: 4, 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4 },
  ...{ 20: 8, 64: 8, 72: 16 },
};
const [VARIABLE, MULTIPLE] = [[0x000d, STRING_8, STRING_16, 0x0102], 0x1000];
const MOST_PROPERTIES = 1000;

/** Whether a file of a message is a TNEF stream, as Outlook sends to other programs under the name `winmail.dat`. */
export const isTnef = ({ name, type }: { name: string; type: string }): boolean =>
  TYPES.includes(type.toLowerCase()) || name.toLowerCase() === "winmail.dat";

const textOf = (bytes: Buffer, encoding: "latin1" | "utf16le"): string => bytes.toString(encoding).replace(/\0.*$/s, "");
const padded = (length: number): number => length + ((4 - (length % 4)) % 4);

/**
 * The long file name among the properties of an attachment; undefined without one. Stops at a type that it does not know, because the
 * length of its value is unknown.
 * @throws RangeError for a length beyond the end
 */
function longName(bytes: Buffer): string | undefined {
  const count = Math.min(bytes.readUInt32LE(0), MOST_PROPERTIES);
  for (let at = 4, read = 0; read < count; read++) {
    const [type, id] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
    at += 4;
    if (id >= 0x8000) {
      const kind = bytes.readUInt32LE(at + 16);
      at += 20 + (kind === 0 ? 4 : 4 + padded(bytes.readUInt32LE(at + 20)));
    }
    const fixed = FIXED[type];
    if (fixed !== undefined) {
      at += fixed;
      continue;
    }
    if (type >= MULTIPLE || !VARIABLE.includes(type)) return undefined;
    const values = bytes.readUInt32LE(at);
    at += 4;
    for (let value = 0; value < values; value++) {
      const length = bytes.readUInt32LE(at);
      const content = bytes.subarray(at + 4, at + 4 + length);
      if (content.length < length) throw new RangeError("the property ends behind its stream");
      if (id === LONG_NAME) return textOf(content, type === STRING_16 ? "utf16le" : "latin1") || undefined;
      at += 4 + padded(length);
    }
  }
  return undefined;
}

/** The name by the properties; undefined if they cannot be read. */
function nameOf(properties: Buffer): string | undefined {
  try {
    return longName(properties);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The files in a TNEF stream (MS-OXTNEF), in its order. A stream that is cut short gives the files that it holds whole.
 * @param most number of files after which the rest is not read
 * @returns null if the bytes are not such a stream
 */
export function readTnef(stream: Uint8Array, most: number): TnefFile[] | null {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.length);
  if (bytes.length < PREFIX || bytes.readUInt32LE(0) !== SIGNATURE) return null;
  const files: Partial<TnefFile>[] = [];
  for (let at = PREFIX; at + HEAD <= bytes.length && files.length <= most; ) {
    const [level, id, length] = [bytes[at], bytes.readUInt16LE(at + 1), bytes.readUInt32LE(at + 5)];
    const value = bytes.subarray(at + HEAD, at + HEAD + length);
    if (value.length < length) break;
    at += HEAD + length + CHECKSUM;
    if (level !== ATTACHMENT_LEVEL) continue;
    if (id === RENDER_DATA) files.push({});
    const file = files.at(-1);
    if (!file) continue;
    if (id === DATA) file.bytes = value;
    else if (id === TITLE) file.name ??= textOf(value, "latin1");
    else if (id === PROPERTIES) {
      const name = nameOf(value);
      if (name !== undefined) file.name = name;
    }
  }
  return files
    .slice(0, most)
    .flatMap(({ name, bytes: content }) => (content ? [{ name: name || "attachment", bytes: content }] : []));
}
