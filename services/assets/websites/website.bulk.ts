import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { isNamed, lookup, reference, yesOrNo } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { visibleHosting } from "../hosting/hosting.list.ts";
import { visibleWebsite, websites } from "./website.list.ts";
import { WebsiteUpdate } from "./website-schemas.ts";
import { changeWebsite, removeWebsite } from "./website-writes.ts";

const SEEN = lockingRows("websites", withinSelection(visibleWebsite));
const HOSTING = lookup("hostings", isNamed("t.name"), visibleHosting);

/** Bulk edits of websites (platform §3). */
export const websitesInBulk: BulkEntity = {
  plural: "websites",
  seen: (ids) => lockedRows(SEEN, ids),
  update: bulkUpdate(
    {
      hosting: { field: "hosting_id", read: reference("the id or name of hosting", () => HOSTING), clearable: true },
      uptime_enabled: { field: "uptime_enabled", read: yesOrNo },
    },
    WebsiteUpdate,
    async (id, values) => changeWebsite(await websites.forWrite(id), values),
  ),
  remove: removeWebsite,
};
