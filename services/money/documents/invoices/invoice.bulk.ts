import type { BulkEntity } from "../../../../core/bulk/entity.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../../core/bulk/rows.ts";
import { forStaffAndClients } from "../../../../core/request/caller.ts";
import { invoicesOfClient, invoicesOfStaff } from "./invoice.list.ts";
import { deleteDraft } from "./invoice-changes.ts";
import { lockInvoice } from "./invoice-rows.ts";

const SEEN = forStaffAndClients((clients) =>
  lockingRows("invoices", withinSelection(clients ? invoicesOfClient : invoicesOfStaff)),
);

/** Bulk deletion of draft invoices and credit notes (platform §3). */
export const invoicesInBulk: BulkEntity = {
  plural: "drafts of invoices",
  seen: (ids) => lockedRows(SEEN(), ids),
  remove: async (id) => deleteDraft(await lockInvoice(id)),
};
