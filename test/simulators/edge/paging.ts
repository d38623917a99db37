import { Misunderstood, type Reply } from "../simulator.ts";
import { type EdgeRequest, envelope, refused } from "./envelope.ts";

/** How a list deviates from the provider's documentation. */
export interface ListQuirk {
  /** Rejects `page` and `per_page`, with a message but no code. */
  isSinglePage?: boolean;
  /** Largest page size; a larger one is rejected with 8000024. */
  ceiling?: number;
  /** Always returns the first page. */
  ignoresPage?: boolean;
  /** The reported total. */
  totalCount?: number;
  /** Omits `result_info`. */
  isSilent?: boolean;
}

/** Largest page size of records. */
const MOST_RECORDS = 5_000_000;

/** Answers a list by its paging parameters. @param filters other parameters the list accepts */
export type Listed = (request: EdgeRequest, rows: readonly object[], filters?: readonly string[]) => Reply;

/** Paginates lists, each with its quirks. @param quirkOf by path below the root */
export const paging =
  (quirkOf: (path: string) => ListQuirk): Listed =>
  (request, rows, filters = []) => {
    const { query, parts } = request;
    for (const name of query.keys())
      if (!["page", "per_page", ...filters].includes(name)) throw new Misunderstood(`unknown parameter '${name}'`);
    const path = `/${parts.join("/")}`;
    const isOfProjects = path.endsWith("/pages/projects");
    const most = isOfProjects ? 10 : path.endsWith("/dns_records") ? MOST_RECORDS : 50;
    const { isSinglePage, ceiling = most, ignoresPage, totalCount, isSilent } = quirkOf(path);
    const hasPaging = query.has("page") || query.has("per_page");
    if (isSinglePage && hasPaging)
      return refused(400, null, "Invalid list options provided. Review the `page` or `per_page` parameter.");
    const asked = Number(query.get("per_page") ?? Math.min(20, ceiling));
    if (!Number.isInteger(asked) || asked < 1) throw new Misunderstood(`per_page is '${query.get("per_page")}'`);
    if (asked > ceiling) return refused(400, 8000024, `Invalid list options: per_page must be at most ${ceiling}`);
    const page = ignoresPage ? 1 : Number(query.get("page") ?? 1);
    if (!Number.isInteger(page) || page < 1) throw new Misunderstood(`page is '${query.get("page")}'`);
    if (isSinglePage) return envelope(rows);
    const shown = rows.slice((page - 1) * asked, page * asked);
    const info = {
      page,
      per_page: asked,
      count: shown.length,
      total_count: totalCount ?? rows.length,
      total_pages: Math.ceil((totalCount ?? rows.length) / asked),
    };
    return envelope(shown, isSilent ? undefined : info);
  };
