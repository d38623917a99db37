import type { Locale } from "../../../core/config/defaults.ts";
import type { Html } from "../../../core/pages/html.ts";
import type { Reply } from "./inner.ts";
import type { Texts } from "./texts.ts";

/** The organisation's branding. */
export interface Brand {
  name: string;
  logoUrl: string | null;
  iconUrl: string | null;
  color: string | null;
}

/** One visit to a page: the request, its language, and access to the API. */
export interface Visit {
  method: "GET" | "POST";
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  locale: Locale;
  t: Texts;
  brand: Brand;
  /** The organisation's time zone, used for every time on a page. */
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
  /** The language of a declared page; such a page sends no referrer to other sites. */
  locale?: string;
  refresh?: { seconds: number; address: string };
  /** Another site that this page's form may redirect to, as a CSP source expression. */
  formTarget?: string;
}

/** A page's answer: markup, or a redirect. */
export type PageAnswer =
  | PageMarkup
  | {
      location: string;
      cookies?: readonly string[];
      /** Has the browser drop what it has cached of this host's answers. */
      forgets?: true;
    };

export type Page = (visit: Visit) => Promise<PageAnswer> | PageAnswer;
