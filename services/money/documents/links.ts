import { randomBytes } from "node:crypto";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";

const TOKEN_BYTES = 32;
/** Lengths of a token that is looked up at all (money §12). */
export const TOKEN_LENGTHS = { least: 20, most: 64 } as const;

/** A new token of a public link: 32 random bytes, url-safe, 43 characters (money §12). */
export const mintToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** Whether a text may be a token; what is not is answered like an unknown one. */
export const isToken = (text: string): boolean =>
  text.length >= TOKEN_LENGTHS.least && text.length <= TOKEN_LENGTHS.most && /^[A-Za-z0-9_-]+$/.test(text);

/** What the address of a document is made of. */
export interface LinkedRow {
  status: string;
  public_token: string | null;
  /** `public_invoice_links` of the organisation's settings. */
  public_links: boolean;
}

/**
 * The address a client reads an invoice or a quote at, or `""` where there is none: links are switched off, it is a draft, or it has no token
 * (money §12).
 * @param base the organisation's address, of `organisationAddress`
 */
export function publicUrl(row: LinkedRow, base: string, kind: "invoice" | "quote" = "invoice"): string {
  return row.public_links && row.status !== "draft" && row.public_token !== null ? `${base}/${kind}/${row.public_token}` : "";
}

const MINT = {
  invoice: statement(`update invoices set public_token = coalesce(public_token, $3)
    where organisation_id = $1 and id = $2 and status <> 'draft' returning public_token`),
  quote: statement(`update quotes set public_token = coalesce(public_token, $3)
    where organisation_id = $1 and id = $2 and status <> 'draft' returning public_token`),
};

/**
 * The token of a document that got none when it was issued, for links were off then: minted now, once for all who ask at the same time. Null for
 * a draft. In a read it is written in a transaction of its own.
 */
export async function ensureToken(kind: "invoice" | "quote", id: string): Promise<string | null> {
  const { organisation, mode, transaction } = request();
  const mint = async () => {
    const row = await queryOne<{ public_token: string | null }>(MINT[kind], [organisation.id, id, mintToken()]);
    return row?.public_token ?? null;
  };
  return mode === "write" || transaction ? mint() : inOwnTransaction(mint);
}
