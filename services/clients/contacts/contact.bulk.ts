import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { Type, uuid } from "../../../core/schema/schema.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { visibleToClients, visibleToStaff } from "./contact.list.ts";
import { lockCompanies } from "./contact-rows.ts";
import { linkContact, removeContact } from "./contact-writes.ts";

const SEEN = forStaffAndClients((clients) =>
  lockingRows("contacts", withinSelection(clients ? visibleToClients : visibleToStaff)),
);

/** Bulk edits of contacts (platform §3). A contact has no client column: setting its client adds a link, as in an import. */
export const contactsInBulk: BulkEntity = {
  plural: "contacts",
  seen: (ids) => lockedRows(SEEN(), ids),
  update: bulkUpdate(
    // Companies are locked before contacts everywhere.
    { company: { field: "company_id", read: clientReference((id) => lockCompanies([id])) } },
    Type.Object({ company_id: uuid() }),
    (id, { company_id }) => linkContact(id, company_id),
  ),
  remove: removeContact,
};
