import { randomBytes } from "node:crypto";
import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";

const TOKEN_BYTES = 32;
/** Lengths of a valid token; others are not looked up (money §12). */
export const TOKEN_LENGTHS = { least: 20, most: 64 } as const;

/** A new token of a public link: 32 random bytes, URL-safe, 43 characters (money §12). */
export const mintToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** Whether a text can be a token; others get the answer of an unknown token. */
export const isToken = (text: string): boolean =>
  text.length >= TOKEN_LENGTHS.least && text.length <= TOKEN_LENGTHS.most && /^[A-Za-z0-9_-]+$/.test(text);

/** The parts of a document's address. */
export interface LinkedRow {
  status: string;
  public_token: string | null;
  /** `public_invoice_links` of the organisation's settings. */
  public_links: boolean;
}

/**
 * The address at which a client reads an invoice or a quote, or `""` when links are off, it is a draft, or it has no token (money §12).
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
 * Returns the document's token, and mints one if links were off at issue; concurrent callers get the same token. Null for a draft. During a
 * read, writes in its own transaction.
 */
export async function ensureToken(kind: "invoice" | "quote", id: string): Promise<string | null> {
  const { organisation, mode, transaction } = request();
  const mint = async () => {
    const row = await queryOne<{ public_token: string | null }>(MINT[kind], [organisation.id, id, mintToken()]);
    return row?.public_token ?? null;
  };
  return mode === "write" || transaction ? mint() : inOwnTransaction(mint);
}
