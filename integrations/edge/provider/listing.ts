import { callEdge, type EdgeAccess, type EdgeCall } from "./client.ts";
import { EdgeFailure } from "./failure.ts";

/** The bounds for reading a list. */
export interface ListBounds {
  rows: number;
  requests: number;
}

/** Bounds in a job, and inside a waiting request (assets §6, "Paged reads"). */
export const IN_JOB: ListBounds = { rows: 10_000, requests: 250 };
export const IN_REQUEST: ListBounds = { rows: 1_000, requests: 100 };
/** A request reads all records of a zone: it shows and exports them, and a redirect depends on all of them. */
export const RECORDS_OF_ZONE: ListBounds = { rows: 10_000, requests: 100 };

const PER_PAGE = 50;
/** Page sizes of lists with other limits (assets §6, "Paged reads"). */
const PER_PAGE_OF: readonly (readonly [path: RegExp, rows: number])[] = [
  [/\/pages\/projects/, 10],
  [/\/dns_records$/, 1_000],
];
const LIST_OPTIONS_REFUSED = 8000024;

type Row = Readonly<Record<string, unknown>>;

const whole = (value: unknown): number | null => (Number.isInteger(value) && (value as number) >= 0 ? (value as number) : null);

/** Whether the provider refuses these paging parameters. */
const refusesPaging = (error: unknown): boolean =>
  error instanceof EdgeFailure &&
  error.status === 400 &&
  (error.has(LIST_OPTIONS_REFUSED) || /list options|per_page/i.test(error.message));

/** Variants of the paging parameters, from all to none. */
const ways = (perPage: number): ((page: number) => Record<string, number>)[] => [
  (page) => ({ page, per_page: perPage }),
  (page) => ({ page }),
  () => ({}),
];

const keyOf = (row: Row): string => {
  const key = row["id"] ?? row["name"];
  return key === undefined || key === null ? JSON.stringify(row) : String(key);
};

/**
 * Reads a provider's list completely (assets §6, "Paged reads"). Duplicate rows count once.
 * @throws EdgeFailure also for a truncated list or one beyond the bounds, because a partial list is unusable
 */
export async function listEdge(
  access: EdgeAccess,
  call: Pick<EdgeCall, "operation" | "path" | "query">,
  { rows: mostRows, requests: mostRequests }: ListBounds = IN_REQUEST,
): Promise<Row[]> {
  const { path } = call;
  let perPage = PER_PAGE_OF.find(([of]) => of.test(path))?.[1] ?? PER_PAGE;
  let isSizeKnown = true;
  const found = new Map<string, Row>();
  const cut = (text: string, rows: number | null = null) => new EdgeFailure(text, { status: 200, rows, wasReached: true });
  let requests = 0;
  const read = (parameters: Record<string, number>) => {
    requests += 1;
    if (requests > mostRequests) throw cut(`the list ${path} needs more than ${mostRequests} requests`);
    return callEdge(access, { ...call, query: { ...call.query, ...parameters } });
  };

  const [fewer, ...others] = ways(perPage) as [(page: number) => Record<string, number>, ...ReturnType<typeof ways>];
  let way = fewer;
  let total: number | null = null;
  for (let page = 1; ; page++) {
    let answer: Awaited<ReturnType<typeof callEdge>>;
    for (;;)
      try {
        answer = await read(way(page));
        break;
      } catch (error) {
        const next = page === 1 && refusesPaging(error) ? others.shift() : undefined;
        if (!next) throw error;
        way = next;
        isSizeKnown = false;
      }
    const { result, resultInfo } = answer;
    if (!Array.isArray(result)) throw cut(`the answer to ${path} is not a list`);
    const before = found.size;
    for (const row of result as Row[]) found.set(keyOf(row), row);
    total = whole(resultInfo["total_count"]) ?? total;
    if (total !== null && total > mostRows) throw cut(`the list ${path} has ${total} rows, more than ${mostRows}`, total);
    if (found.size > mostRows) throw cut(`the list ${path} has more than ${mostRows} rows`);
    const reportedSize = whole(resultInfo["per_page"]);
    if (reportedSize !== null && reportedSize > 0) [perPage, isSizeKnown] = [reportedSize, true];
    const pages = whole(resultInfo["total_pages"]);
    const isOnly = Object.keys(way(page)).length === 0;
    const isLast = pages === null ? isSizeKnown && result.length < perPage : page >= pages;
    if (isOnly || isLast || found.size === before) break;
  }
  if (total !== null && found.size < total) throw cut(`${found.size} of ${total}`);
  return [...found.values()];
}
