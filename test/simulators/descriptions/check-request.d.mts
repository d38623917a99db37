/** What a description has against a request or an answer. */
export interface Checked {
  ok: boolean;
  /** The method of the description; null where there is none. */
  methodId: string | null;
  problems: { where: string; at: string; kind: string; detail: string }[];
  unknown: string[];
}

export function checkRequest(request: {
  provider: string;
  method: string;
  path: string;
  query?: Record<string, string | string[]>;
  body?: unknown;
}): Checked;
export function checkResponse(response: {
  provider: string;
  methodId?: string;
  method?: string;
  path?: string;
  status?: number;
  body?: unknown;
}): Checked;
export function checkAuthorizeUrl(url: string): Checked;
export function checkGaql(query: string): Checked;
/** The description itself: its methods and schemas by name. */
export function describe(provider: string): { schemas: Record<string, unknown>; methods: Record<string, unknown> };
