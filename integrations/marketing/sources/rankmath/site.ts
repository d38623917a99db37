import { unsealed } from "../../../../core/database/sealed.ts";
import { callOutside, type OutboundAnswer, OutboundFailed } from "../../../../core/outbound/call.ts";
import { OutboundRefused } from "../../../../core/outbound/guard/policy.ts";
import { organisationZone } from "../../../../core/request/today.ts";
import { credentialOf } from "../../credentials/stored-credential.ts";
import { WebsiteCredential } from "../../models.ts";
import { requireObject, WrongShape } from "../answer-shapes.ts";
import { type SourceAccess, SourceFailure } from "../source.ts";

/** Milliseconds per request: with `refresh` the site first queries its own provider. */
const TIMEOUT = 30_000;
const MOST_BYTES = 8 << 20;

/** Reads the plugin on one site. */
export interface RankmathSite {
  /** The organisation's zone, in which days are dated. */
  zone: string;
  /**
   * Returns `data` of the plugin's answer to one request.
   * @param path below the plugin's base path, such as `overview`
   * @throws SourceFailure
   */
  ask<T>(path: string, query: Record<string, string>, read: (data: unknown) => T): Promise<T>;
}

interface RestAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** An answer of WordPress's REST API; null if the site returned an HTML page, as sites without pretty permalinks do. */
function restAnswer({ status, body }: OutboundAnswer): RestAnswer | null {
  try {
    return { status, body: requireObject(JSON.parse(body.toString()), "answer") };
  } catch {
    return null;
  }
}

/** The failure key of a refusal, by status and WordPress's code (marketing-ads §2.9). */
export function refusalKey(status: number, code: unknown): string {
  switch (status) {
    case 401:
      return "marketing.rankmath_key_rejected";
    case 402:
      return "marketing.rankmath_no_credits";
    case 403:
      return code === "aiv_plan_limit" ? "marketing.rankmath_plan_limit" : "marketing.rankmath_forbidden";
    case 404:
      return code === "aiv_not_found" ? "marketing.rankmath_brand_not_found" : "marketing.rankmath_plugin_outdated";
    default:
      return "marketing.accounts_error";
  }
}

/**
 * The plugin's addresses: below `/wp-json`, and by `rest_route` for sites without pretty permalinks. Such a site returns a page, or its web
 * server's 404, below `/wp-json`.
 */
function addressesOf(site: string, path: string, query: Record<string, string>): string[] {
  const route = `rankmath/v1/ai-visibility/${path}`;
  const asked = new URLSearchParams(query);
  const plain = new URLSearchParams({ rest_route: `/${route}`, ...query });
  return [`${site}/wp-json/${route}${asked.size === 0 ? "" : `?${asked}`}`, `${site}/?${plain}`];
}

/**
 * Opens a website's site with its stored credential.
 * @throws SourceFailure `marketing.rankmath_no_website`, `marketing.rankmath_not_connected`
 */
export async function rankmathSite({ transactions, websiteId, signal }: SourceAccess): Promise<RankmathSite> {
  if (websiteId === null) throw new SourceFailure("marketing.rankmath_no_website");
  const { row, zone } = await transactions.read(async () => ({ row: await credentialOf(websiteId), zone: organisationZone() }));
  const password = row ? unsealed(WebsiteCredential, row, "password") : null;
  if (!row || password === null) throw new SourceFailure("marketing.rankmath_not_connected");
  const { address: site, username } = row;
  const headers = {
    accept: "application/json",
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
  };

  async function get(address: string): Promise<OutboundAnswer> {
    try {
      return await callOutside("website", address, {
        headers,
        timeout: TIMEOUT,
        mostBytes: MOST_BYTES,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (error instanceof OutboundFailed || error instanceof OutboundRefused)
        throw new SourceFailure("marketing.accounts_error", { cause: error });
      throw error;
    }
  }

  return {
    zone,
    async ask(path, query, read) {
      let status = 0;
      for (const address of addressesOf(site, path, query)) {
        const answer = await get(address);
        status = answer.status;
        const rest = restAnswer(answer);
        if (rest) return dataOf(rest, read);
        // Try the other address only after a page or a 404; any other failure would repeat there.
        if (status !== 200 && status !== 404) break;
      }
      throw new SourceFailure(refusalKey(status === 200 ? 0 : status, null));
    },
  };
}

/** @throws SourceFailure for a refusal, and for data of another shape */
function dataOf<T>({ status, body }: RestAnswer, read: (data: unknown) => T): T {
  if (status !== 200) throw new SourceFailure(refusalKey(status, body["code"]));
  if (body["success"] !== true) throw new SourceFailure("marketing.accounts_error");
  try {
    return read(body["data"]);
  } catch (error) {
    if (error instanceof WrongShape) throw new SourceFailure("marketing.accounts_error", { cause: error });
    throw error;
  }
}
