import { internal } from "../../../core/declare/makers/internal.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import type { DriveLinkRead } from "./drive-schemas.ts";
import { linksOf } from "./link-rows.ts";

/** Number of linked files in a client's panel, besides its folder. */
const IN_PANEL = 5;

/** The folder and the files of a client on its page (clients §3.8): stored links only, Google is not called. */
export default service("workspace.company", {
  actions: {
    panel: internal({
      summary: "A client's folder at Google, its first linked files and how many there are",
      permission: "workspace.drive.read",
      contributes: { panel: { entity: "company", key: "workspace.folder", position: 55 } },
      async handler({ params: { company_id } }) {
        const found = await linksOf({ entity_type: "company", entity_id: company_id }, false, null);
        const links = found.parse() as Static<typeof DriveLinkRead>[];
        const files = links.filter(({ is_root }) => !is_root);
        return { folder: links.find(({ is_root }) => is_root) ?? null, links: files.slice(0, IN_PANEL), total: files.length };
      },
    }),
  },
});
