import { customValues } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { request } from "../../../core/request/context.ts";
import { customerOf } from "../calculation/bill-to.ts";
import { readSettings } from "../settings/settings-rows.ts";
import { documentTexts, type SentDocument } from "./document-values.ts";
import type { SentLine } from "./lines/line-schemas.ts";
import type { Owner } from "./lines/line-writes.ts";
import { partyFor } from "./parties/billed-party.ts";
import { requireTemplate, usualTemplate } from "./references.ts";

/** A new invoice or quote; defaults for missing or null fields follow money §2 "Create". */
export interface DocumentDraft extends SentDocument {
  company_id: string;
  contact_id?: string | null | undefined;
  issue_date?: string | null | undefined;
  prices_include_tax?: boolean | null | undefined;
  template_id?: string | null | undefined;
  custom?: CustomValues | undefined;
  lines?: readonly SentLine[] | undefined;
}

/** How a document is created. */
export interface Making {
  /** True when the service creates it without a form: custom fields stay empty, and required ones are checked at issue. */
  withoutForm?: boolean;
}

/**
 * The columns of a new document that invoices and quotes share (money §2 "Create").
 * @throws 404 for a client the caller does not see; 400 `contact_id`, `template_id` for unknown references; 422 for a broken rule
 */
export async function newDocument(owner: Owner, draft: DocumentDraft, { withoutForm = false }: Making = {}) {
  const { organisation } = request();
  const { company_id, contact_id = null, issue_date } = draft;
  const { currency = organisation.currency, locale = organisation.locale, ...texts } = documentTexts(draft);
  const [settings, custom, { client, contact }, usual] = await Promise.all([
    readSettings(),
    withoutForm ? {} : customValues(owner, draft.custom, "create"),
    partyFor(company_id, contact_id),
    draft.template_id ? null : usualTemplate(),
    requireTemplate(draft.template_id),
  ]);
  return {
    company_id,
    contact_id,
    currency,
    locale,
    ...texts,
    issue_date,
    prices_include_tax: draft.prices_include_tax ?? settings.prices_include_tax,
    template_id: draft.template_id ?? usual,
    customer: customerOf(client, contact),
    custom: custom ?? {},
  };
}
