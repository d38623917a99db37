import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { day, oneOf, yesOrNo } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { providerReference } from "../providers/provider-reference.ts";
import { domainRows, visibleDomain } from "./domain.list.ts";
import { DomainUpdate } from "./domain-schemas.ts";
import { DOMAIN_STATUSES } from "./domain-statuses.ts";
import { changeDomain, removeDomain } from "./domain-writes.ts";

const SEEN = lockingRows("domains", withinSelection(visibleDomain));

/** Bulk edits of domains (platform §3). */
export const domainsInBulk: BulkEntity = {
  plural: "domains",
  seen: (ids) => lockedRows(SEEN, ids),
  update: bulkUpdate(
    {
      status: { field: "status", read: oneOf(DOMAIN_STATUSES) },
      company: { field: "company_id", read: clientReference() },
      registrar_provider: { field: "registrar_provider_id", read: providerReference("registrar"), clearable: true },
      dns_provider: { field: "dns_provider_id", read: providerReference("dns"), clearable: true },
      email_provider: { field: "email_provider_id", read: providerReference("email"), clearable: true },
      invoiceable: { field: "invoiceable", read: yesOrNo, clearable: true },
      next_invoice_date: { field: "next_invoice_date", read: day, clearable: true },
    },
    DomainUpdate,
    async (id, values) => changeDomain(await domainRows.forWrite(id), values),
  ),
  async remove(id) {
    await domainRows.forWrite(id);
    await removeDomain(id);
  },
};
