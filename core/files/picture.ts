import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

/** Maximum pixels of a picture, all frames together; larger pictures are not decoded. */
export const MOST_PIXELS = 40_000_000;
/** Longest time per picture, in seconds. */
const TIMEOUT_SECONDS = 20;

const ANIMATED = new Set(["image/gif", "image/webp"]);
const REWRITTEN = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Whether a type is re-encoded; SVG and icons are stored as sent. */
export const isRewritten = (type: string): boolean => REWRITTEN.has(type);

let running: Promise<unknown> = Promise.resolve();

/** Runs one picture at a time: a decoded one may take 160 MB. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = running.then(work, work);
  running = mine.catch(() => {});
  return mine;
}

async function rewrite(bytes: Buffer, type: string): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  const options = { animated: ANIMATED.has(type), limitInputPixels: MOST_PIXELS, sequentialRead: true, failOn: "error" } as const;
  const picture = sharp(bytes, options);
  const { pages = 1 } = await picture.metadata();
  // The camera's orientation is removed with the other metadata, so rotate the pixels instead.
  const upright = pages > 1 ? picture : picture.autoOrient();
  const format = type.slice("image/".length) as "png" | "jpeg" | "webp" | "gif";
  return upright.timeout({ seconds: TIMEOUT_SECONDS }).toFormat(format).toBuffer();
}

/**
 * Re-encodes a picture in its own format: upright, without metadata, with all frames of a GIF or WebP. Only the pixels survive.
 * @param type one of `isRewritten`
 * @returns null if it is damaged, not a picture of that type, or larger than 40 megapixels
 */
export function rewritten(source: Readable, type: string): Promise<Buffer | null> {
  return inTurn(async () => {
    const bytes = await buffer(source);
    return rewrite(bytes, type).catch(() => null);
  });
}
