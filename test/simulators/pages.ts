import { Misunderstood } from "./simulator.ts";

/** A list in pages, as most providers answer one. */
export interface Page<T> {
  result: T[];
  result_info: { page: number; per_page: number; count: number; total_count: number; total_pages: number };
}

/** What a list may do instead of being read to its end. */
export interface PageFault {
  /** Most rows the provider gives per page, whatever is asked. */
  ceiling?: number;
  /** The list breaks off after so many rows, though `total_count` says there are more. */
  breakOff?: number;
  /** Every page is the first one. */
  ignorePage?: boolean;
}

const whole = (query: URLSearchParams, name: string, usual: number): number => {
  const text = query.get(name) ?? String(usual);
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Misunderstood(`${name} is '${text}'`);
  return Number(text);
};

/** One page of rows by `page` and `per_page`. @throws Misunderstood for parameters that are none */
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
