import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Asset } from "./readers.ts";

const compressed = promisify(gzip);

/** Bytes as they are sent, with their tag. */
interface Representation {
  bytes: Buffer;
  etag: string;
}

interface Loaded {
  plain: Representation;
  /** Null for what compression does not shorten, such as pictures. */
  zipped: Representation | null;
}

const represented = (bytes: Buffer): Representation => ({
  bytes,
  etag: `"${createHash("sha256").update(bytes).digest("base64url")}"`,
});

async function loadedFrom({ load, type }: Asset): Promise<Loaded> {
  const text = await load();
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const isText = !type.startsWith("image/");
  return { plain: represented(bytes), zipped: isText ? represented(await compressed(bytes)) : null };
}

/** Keeps the bytes of assets: each is read and compressed once, at its first request. */
export class AssetSender {
  readonly #loaded = new Map<string, { of: unknown; loading: Promise<Loaded> }>();
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers of every answer */
  constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
  }

  /**
   * Answers with an asset, compressed if the caller can read that, or 304 if the caller has it.
   * @param of what it is made of: it is loaded again when this differs
   */
  async send(path: string, asset: Asset, request: IncomingMessage, response: ServerResponse, of?: unknown): Promise<true> {
    const { plain, zipped } = await this.#read(path, asset, of);
    const isZipped = zipped !== null && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const { bytes, etag } = isZipped ? zipped : plain;
    const headers = {
      "Cache-Control": "no-cache",
      ...this.#headers,
      ETag: etag,
      ...(zipped !== null && { Vary: "Accept-Encoding" }),
      ...(isZipped && { "Content-Encoding": "gzip" }),
    };
    const known = (request.headers["if-none-match"] ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
    if (known) response.writeHead(304, headers).end();
    else {
      response.writeHead(200, { ...headers, "Content-Type": asset.type, "Content-Length": String(bytes.length) });
      // Node omits the body for HEAD
      response.end(bytes);
    }
    return true;
  }

  #read(path: string, asset: Asset, of: unknown): Promise<Loaded> {
    const known = this.#loaded.get(path);
    if (known && known.of === of) return known.loading;
    const loading = loadedFrom(asset);
    this.#loaded.set(path, { of, loading });
    // retry a failed read at the next request
    loading.catch(() => this.#loaded.delete(path));
    return loading;
  }
}
