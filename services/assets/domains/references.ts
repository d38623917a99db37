import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { requireCompany } from "../company-reference.ts";
import { requireProviders } from "../providers/provider-slots.ts";

const EXPIRY = statement("select expires_on from registers_of($1, $2, $3)");

type Slot = "company_id" | "registrar_provider_id" | "dns_provider_id" | "email_provider_id";
type Asked = { readonly [One in Slot]?: string | null | undefined };

/**
 * Requires that the references of a body exist: a client visible to the caller, and providers of their slot's kind. Without any, no query.
 * @throws 404 for the client, 400 `invalid_provider`
 */
export async function requireReferences(asked: Asked): Promise<void> {
  await requireCompany(asked.company_id);
  await requireProviders({ registrar: asked.registrar_provider_id, dns: asked.dns_provider_id, email: asked.email_provider_id });
}

/** The expiry date a register last reported for a domain; null if none lists it. @param name in ASCII */
export async function registerExpiry(id: string, name: string): Promise<string | null> {
  const found = await queryOne<{ expires_on: string | null }>(EXPIRY, [request().organisation.id, id, name]);
  return found?.expires_on ?? null;
}
