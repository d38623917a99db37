import { checkRequest, checkResponse } from "../descriptions/check-request.mjs";
import type { Described, Received, Reply } from "../simulator.ts";

/** The Google API of a path; null if there is none. */
export function apiOf(path: string): string | null {
  if (/^\/(token|revoke)$/.test(path)) return "oauth";
  if (path.startsWith("/webmasters/")) return "searchconsole";
  return path.match(/^\/(?:upload\/|resumable\/upload\/)?(calendar|drive|gmail|analyticsadmin|analyticsdata)\//)?.[1] ?? null;
}

/** A path on the provider's own host: the simulator prefixes some with the API's name. */
const pathThere = (path: string): string => path.replace(/^\/(analyticsadmin|analyticsdata)(?=\/)/, "");

/** A body as the checker expects it. */
function bodyOf({ body, headers }: Received): unknown {
  if (body === "") return undefined;
  if (/x-www-form-urlencoded/.test(headers["content-type"] ?? "")) return Object.fromEntries(new URLSearchParams(body));
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const queryOf = (query: URLSearchParams) =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));

const said = ({ problems }: { problems: readonly { where: string; at: string; kind: string; detail: string }[] }) =>
  problems.map(({ where, at, kind, detail }) => `${where} ${at} ${kind}: ${detail}`);

/** Google's APIs according to their own descriptions: the first check of every request, and the last of every response. */
export const googleDescribed: Described = {
  wrongInRequest(request) {
    const { method, path, query, headers } = request;
    const provider = apiOf(path);
    if (provider === null) return [`no API of Google: ${path}`];
    const body = bodyOf(request);
    const type = headers["content-type"] ?? "";
    const wanted = provider === "oauth" ? /^application\/x-www-form-urlencoded/ : /^application\/json/;
    const wrongType = body !== undefined && !wanted.test(type) ? [`a body of type '${type}'`] : [];
    return [...wrongType, ...said(checkRequest({ provider, method, path: pathThere(path), query: queryOf(query), body }))];
  },
  wrongInReply({ method, path, query }, { status, body }: Reply) {
    const provider = apiOf(path);
    // Binary content has no schema, and a resumable upload starts with a header and no body.
    if (provider === null || Buffer.isBuffer(body) || query.get("uploadType") === "resumable") return [];
    const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    return said(checkResponse({ provider, method, path: pathThere(path), status, body: sent }));
  },
};
