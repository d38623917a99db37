import { buffer } from "node:stream/consumers";
import { LRUCache } from "lru-cache";
import { isApiError } from "../../core/errors/errors.ts";
import { type FileRow, fileRow } from "../../core/files/files.ts";
import { MOST_PIXELS } from "../../core/files/picture.ts";
import { openStored } from "../../core/files/storage.ts";
import { request } from "../../core/request/context.ts";

/** Entity types of the only files that a document may show: the organisation's public branding pictures, and copies kept for a document. */
const OF_THE_BRAND = new Set(["branding", "issued_look"]);
const BRAND_FILE = /\/api\/v1\/files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/public$/i;
/** Longest side of a picture in a document, in pixels: 300 dpi at 13 cm. */
const MOST_SIDE = 1_600;
/** Largest SVG that a document embeds, in bytes. */
const MOST_SVG = 300_000;

/** Pictures as `data:` addresses, by organisation and content, whose bytes never change; null for an unusable picture. */
const known = new LRUCache<string, { address: string | null }>({
  maxSize: 32_000_000,
  maxEntrySize: 8_000_000,
  sizeCalculation: ({ address }) => (address?.length ?? 0) + 200,
});

const dataAddress = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;

async function addressOfPicture(type: string, bytes: Buffer): Promise<string | null> {
  if (type === "image/svg+xml") return bytes.length <= MOST_SVG ? dataAddress(type, bytes) : null;
  const { default: sharp } = await import("sharp");
  try {
    const picture = sharp(bytes, { limitInputPixels: MOST_PIXELS, sequentialRead: true, failOn: "error" })
      .autoOrient()
      .resize({ width: MOST_SIDE, height: MOST_SIDE, fit: "inside", withoutEnlargement: true })
      .timeout({ seconds: 10 });
    const jpeg = type === "image/jpeg";
    const made = await (jpeg ? picture.jpeg({ quality: 88 }) : picture.png()).toBuffer();
    return dataAddress(jpeg ? "image/jpeg" : "image/png", made);
  } catch {
    return null;
  }
}

/** The row of a picture in the organisation's branding, or null for any other file. */
async function brandRow(fileId: string): Promise<FileRow | null> {
  const row = await fileRow(fileId).catch((error: unknown) => {
    if (isApiError(error) && error.code === 404) return null;
    throw error;
  });
  return row && OF_THE_BRAND.has(row.entity_type) && row.type.startsWith("image/") ? row : null;
}

/** Whether a file is a picture in the organisation's branding. */
export const isPicture = async (fileId: string): Promise<boolean> => (await brandRow(fileId)) !== null;

/**
 * A picture in the organisation's branding as a `data:` address for a document; null if it does not exist, is not a picture, or belongs to
 * another record.
 */
export async function pictureOf(fileId: string): Promise<string | null> {
  const row = await brandRow(fileId);
  if (!row) return null;
  const organisationId = request().organisation.id;
  const key = `${organisationId} ${row.content_id} ${row.type}`;
  let found = known.get(key);
  if (!found) {
    const stored = await openStored({ organisationId, id: row.content_id, backend: row.backend }).catch(() => null);
    if (!stored) return null;
    found = { address: await addressOfPicture(row.type, await buffer(stored.bytes)) };
    known.set(key, found);
  }
  return found.address;
}

/**
 * The organisation's logo as a `data:` address. Documents never use the network, so only a logo stored here is shown.
 * @param url of the logo in the organisation's branding
 * @param copies kept copies, by the file they were copied from
 */
export async function logoOf(url: string | null, copies: Readonly<Record<string, string>> = {}): Promise<string | null> {
  const fileId = BRAND_FILE.exec(url ?? "")?.[1]?.toLowerCase();
  return fileId === undefined ? null : pictureOf(copies[fileId] ?? fileId);
}
