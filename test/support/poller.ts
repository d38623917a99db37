import type { Answer } from "./http.ts";

/** The instant from which a first copy begins. */
export const BEGINNING = "1970-01-01T00:00:00Z";

/** A page of a list with what a copy reads of it. */
interface Page {
  items: { id: string }[];
  next_cursor: string | null;
}

/** One round of a copy: all pages of the rows changed since an instant, and the instant of the next round. */
export async function delta(
  read: (path: string) => Promise<Answer>,
  path: string,
  since: string,
  { limit = 200, query = "" } = {},
): Promise<{ items: { id: string }[]; until: string }> {
  const items: { id: string }[] = [];
  for (let cursor: string | null = null; ; ) {
    const place = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const address = `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${query}&updated_since=${encodeURIComponent(since)}${place}`;
    const { status, text, headers, body } = await read(address);
    if (status !== 200) throw new Error(`${address}: ${status} ${text}`);
    const page = body as Page;
    items.push(...page.items);
    cursor = page.next_cursor;
    const until = headers["updated-until"] as string | undefined;
    if ((until === undefined) !== (cursor !== null)) throw new Error(`${address}: Updated-Until is not with the last page alone`);
    if (until !== undefined) return { items, until };
  }
}

/** The ids of all rows of a kind that were deleted, or left the caller's view, at or after an instant. */
export async function removed(
  read: (path: string) => Promise<Answer>,
  kind: string,
  since: string,
  limit = 200,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const place = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const address = `/deleted?entity_type=${kind}&limit=${limit}&since=${encodeURIComponent(since)}${place}`;
    const { status, text, body } = await read(address);
    if (status !== 200) throw new Error(`${address}: ${status} ${text}`);
    const page = body as Page;
    ids.push(...page.items.map(({ id }) => id));
    if (page.next_cursor === null) return ids;
    cursor = page.next_cursor;
  }
}

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
    const { items, until } = await delta(read, path, since, { query: "&count=false" });
    for (const { id } of items) seen.add(id);
    if (isLast) return seen;
    since = until;
  }
}
