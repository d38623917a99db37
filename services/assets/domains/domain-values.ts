import { type CustomDefinition, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { formatAmount } from "../../../core/values/money.ts";
import { leadsToHost } from "../../../core/values/web-address.ts";
import { partyValues } from "../parties/parties.ts";
import { labelOf, normaliseName, tldOf } from "./domain-name.ts";
import type { DomainCreate, DomainUpdate } from "./domain-schemas.ts";
import { Domain, type DomainRow } from "./models.ts";

type SentDomain = Partial<Static<typeof DomainCreate>> | Static<typeof DomainUpdate>;

const lower = (id: string | null | undefined) => id?.toLowerCase() ?? id;
const AGENCY = { type: "agency" } as const;

/** The columns of a name: ASCII form, display form, and TLD. */
const namedAs = (name: string) => ({ name, label: labelOf(name), tld: tldOf(name) });

/**
 * The stored mail columns of a domain (assets §2.1). Mail that is off stores nothing, whatever is sent; mail switched on without a contact
 * gets the agency as its contact.
 * @param before null for a new domain
 */
function mailValues(sent: SentDomain, before: Pick<DomainRow, "email_enabled"> | null): UpdateOf<typeof Domain> {
  const [was, is] = [before?.email_enabled ?? false, sent.email_enabled ?? before?.email_enabled ?? false];
  const enabled = sent.email_enabled === undefined && before !== null ? {} : { email_enabled: is };
  if (!is) return was ? { ...enabled, email_provider_id: null, ...partyValues("email_contact", null) } : enabled;
  return {
    ...enabled,
    email_provider_id: lower(sent.email_provider_id),
    ...partyValues("email_contact", sent.email_contact ?? (was ? sent.email_contact : AGENCY)),
  };
}

/**
 * The columns a create or update of a domain stores, except its renewal date (assets §2.1).
 * @param sent the validated body; only its keys appear in the result
 * @param before the stored row of an update, null for a new domain
 * @param definitions the active custom fields of domains; a create is checked against them even without values
 * @throws 422 naming every invalid field
 */
export function domainValues(
  sent: SentDomain,
  before: Pick<DomainRow, "email_enabled"> | null,
  definitions: readonly CustomDefinition[],
): UpdateOf<typeof Domain> {
  const refused: Record<string, string> = {};
  const name = sent.name === undefined ? undefined : normaliseName(sent.name);
  if (name === null) refused["name"] = "errors.validation";
  const redirectUrl = sent.redirect_url?.trim() ?? sent.redirect_url;
  if (redirectUrl && !leadsToHost(redirectUrl)) refused["redirect_url"] = "errors.invalid_url";
  const price = sent.price_override;
  const registrant = before === null ? (sent.registry_contact ?? AGENCY) : sent.registry_contact;
  const values: UpdateOf<typeof Domain> = {
    ...(name && namedAs(name)),
    company_id: sent.company_id?.toLowerCase(),
    status: sent.status,
    redirect_url: redirectUrl,
    start_date: sent.start_date ?? undefined,
    price_override: price === undefined || price === null ? price : formatAmount(price),
    invoiceable: sent.invoiceable,
    auto_invoice_mode: sent.auto_invoice_mode,
    registrar_provider_id: lower(sent.registrar_provider_id),
    dns_provider_id: lower(sent.dns_provider_id),
    ...partyValues("registry_contact", registrant),
    ...mailValues(sent, before),
  };
  const custom = before === null || sent.custom !== undefined ? readCustomValues(sent.custom ?? {}, definitions) : null;
  Object.assign(refused, custom?.refused);
  if (custom && sent.custom !== undefined) values.custom = custom.values;
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return withoutBlanks(Domain, Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
}
