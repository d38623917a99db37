import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

/** Most pixels of a picture, all frames together: what is larger is not decoded. */
export const MOST_PIXELS = 40_000_000;
/** Longest time one picture may take, in seconds. */
const TIMEOUT_SECONDS = 20;

const ANIMATED = new Set(["image/gif", "image/webp"]);
const REWRITTEN = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Whether a type is re-encoded; SVG and icons are kept as they are sent. */
export const isRewritten = (type: string): boolean => REWRITTEN.has(type);

let running: Promise<unknown> = Promise.resolve();

/** One picture at a time: a decoded one may take 160 MB. */
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
  // What the camera noted about turning goes with the rest of the metadata, so the pixels are turned instead.
  const upright = pages > 1 ? picture : picture.autoOrient();
  const format = type.slice("image/".length) as "png" | "jpeg" | "webp" | "gif";
  return upright.timeout({ seconds: TIMEOUT_SECONDS }).toFormat(format).toBuffer();
}

/**
 * A picture decoded and encoded anew in its own format: upright, without metadata, with all frames of a GIF or WebP. Nothing but pixels
 * survives.
 * @param type one of `isRewritten`
 * @returns null for what is damaged, no picture of that type, or more than 40 megapixels
 */
export function rewritten(source: Readable, type: string): Promise<Buffer | null> {
  return inTurn(async () => {
    const bytes = await buffer(source);
    return rewrite(bytes, type).catch(() => null);
  });
}
