import { Misunderstood } from "./simulator.ts";

/** A paginated list, in most providers' format. */
export interface Page<T> {
  result: T[];
  result_info: { page: number; per_page: number; count: number; total_count: number; total_pages: number };
}

/** Faults of a list. */
export interface PageFault {
  /** Largest page size, whatever the request. */
  ceiling?: number;
  /** The list ends after this many rows, although `total_count` is higher. */
  breakOff?: number;
  /** Every page is the first one. */
  ignorePage?: boolean;
}

const whole = (query: URLSearchParams, name: string, usual: number): number => {
  const text = query.get(name) ?? String(usual);
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Misunderstood(`${name} is '${text}'`);
  return Number(text);
};

/** One page of rows by `page` and `per_page`. @throws Misunderstood for invalid parameters */
export function pageOf<T>(
  rows: readonly T[],
  query: URLSearchParams,
  { ceiling = 1000, breakOff, ignorePage }: PageFault = {},
): Page<T> {
  const perPage = Math.min(ceiling, whole(query, "per_page", 20));
  const asked = whole(query, "page", 1);
  const page = ignorePage ? 1 : asked;
  const served = breakOff === undefined ? rows : rows.slice(0, breakOff);
  const result = served.slice((page - 1) * perPage, page * perPage);
  const total = rows.length;
  return {
    result,
    result_info: { page, per_page: perPage, count: result.length, total_count: total, total_pages: Math.ceil(total / perPage) },
  };
}
