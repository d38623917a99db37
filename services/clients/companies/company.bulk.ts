import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { oneOf, textUpTo } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { memberReference } from "../../../mixins/named/member-reference.ts";
import { companies, visibleCompany } from "./company.list.ts";
import { CompanyUpdate, STATUSES } from "./company-schemas.ts";
import { changeCompany, deleteCompany } from "./company-writes.ts";

const SEEN = lockingRows("companies", withinSelection(visibleCompany));

/** Bulk edits of companies (platform §3). */
export const companiesInBulk: BulkEntity = {
  plural: "companies",
  seen: (ids) => lockedRows(SEEN, ids),
  update: bulkUpdate(
    {
      city: { field: "city", read: textUpTo(120, "the city of the address", "Utrecht"), clearable: true },
      phone: { field: "phone", read: textUpTo(32, "the telephone number", "+31 30 123 45 67"), clearable: true },
      responsible: { field: "responsible_user_id", read: memberReference("responsible"), clearable: true },
      status: { field: "status", read: oneOf(STATUSES) },
    },
    CompanyUpdate,
    async (id, values) => changeCompany(await companies.forWrite(id), values),
  ),
  remove: async (id) => deleteCompany((await companies.forWrite(id)).id),
};
