import type { Answer } from "./http.ts";

const BEGINNING = "2000-01-01T00:00:00Z";
const PAGE = 200;

/**
 * Polls a list like a client does: page by page, each round with the `Updated-Until` of the previous one.
 * @param read reads a path as the poller
 * @param isOver whether all writes are done; it then polls once more
 * @returns every id it saw
 */
export async function follow(read: (path: string) => Promise<Answer>, path: string, isOver: () => boolean): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let since = BEGINNING, isLast = false; ; ) {
    isLast = isOver();
    let until = "";
    for (let offset = 0; ; offset += PAGE) {
      const query = `limit=${PAGE}&offset=${offset}&count=false&sort=updated_at&updated_since=${encodeURIComponent(since)}`;
      const { status, text, headers, body } = await read(`${path}?${query}`);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      until ||= headers["updated-until"] as string;
      for (const { id } of body.items) seen.add(id);
      if (body.items.length < PAGE) break;
    }
    if (isLast) return seen;
    since = until;
  }
}
