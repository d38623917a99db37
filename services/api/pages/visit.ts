import type { Locale } from "../../../core/config/defaults.ts";
import type { Html } from "../../../core/pages/html.ts";
import type { Reply } from "./inner.ts";
import type { Texts } from "./texts.ts";

/** The organisation as its pages show it. */
export interface Brand {
  name: string;
  logoUrl: string | null;
  iconUrl: string | null;
  color: string | null;
}

/** One visit to a page: who asks, in which language, and the way to the API. */
export interface Visit {
  method: "GET" | "POST";
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  locale: Locale;
  t: Texts;
  brand: Brand;
  /** The organisation's time zone: every time on a page is of its clock. */
  zone: string;
  /** Calls the API as the visitor: same host, cookie, limits and refusals. `once` is the `Idempotency-Key`. */
  call(method: string, path: string, body?: Readonly<Record<string, unknown>> | URLSearchParams, once?: string): Promise<Reply>;
}

/** A page as markup. */
export interface PageMarkup {
  status: number;
  title: string;
  body: Html;
  wide?: boolean;
  cookies?: readonly string[];
  /** The language of a declared page, which is its own; nothing of such a page is told to other sites. */
  locale?: string;
  refresh?: { seconds: number; address: string };
  /** Where a form of it may end beside this site, as a source expression of its policy. */
  formTarget?: string;
}

/** What a page answers: markup, or the address of the page to go on with. */
export type PageAnswer = PageMarkup | { location: string; cookies?: readonly string[] };

export type Page = (visit: Visit) => Promise<PageAnswer> | PageAnswer;
