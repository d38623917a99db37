import { defineModule } from "../../core/declare/module.ts";

/** The navigation: its order and names, per person or organisation. */
export default defineModule({
  key: "nav",
  kind: "core",
  permissions: {
    "nav.prefs.read": { position: 30, group: "dashboard", grants: ["admin", "member", "client"] },
    "nav.prefs.write": { position: 40, group: "dashboard", grants: ["admin", "member", "client"] },
    "settings.nav.manage": { position: 75, grants: ["admin"] },
  },
  tables: ["nav_layouts"],
  tags: { nav: "Order and visibility of the navigation." },
});
