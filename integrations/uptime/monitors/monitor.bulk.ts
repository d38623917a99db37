import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { monitors, visibleMonitor } from "./monitor-rows.ts";
import { changeMonitor, removeMonitor } from "./monitor-writes.ts";

const SEEN = lockingRows("uptime_monitors", withinSelection(visibleMonitor));

/** Bulk edits of monitors (platform §3): an update only changes the client, a deletion only stops tracking. No server is called. */
export const monitorsInBulk: BulkEntity = {
  plural: "uptime monitors",
  seen: (ids) => lockedRows(SEEN, ids),
  update: bulkUpdate(
    { company: { field: "company_id", read: clientReference(), clearable: true } },
    Type.Object({ company_id: optional(nullable(uuid())) }),
    async (id, values) => changeMonitor(await monitors.forWrite(id), values),
  ),
  remove: async (id) => removeMonitor(await monitors.forWrite(id), false),
};
