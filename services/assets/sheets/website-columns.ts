import type { Field } from "../../../core/impex/field.ts";

/** The columns of a website spreadsheet, with their Dutch, English and German headers. */
export const WEBSITE_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "domain",
    kind: "text",
    required: true,
    names: [
      ...["domain name", "domein", "domeinnaam", "website", "url", "site", "host", "hostname", "naam", "name"],
      ...["domäne", "webseite"],
    ],
  },
  { key: "root", kind: "boolean", names: ["apex", "zonder www", "without www", "hoofddomein", "ohne www"] },
  { key: "hosting", kind: "text", names: ["hosting name", "hostingpakket", "server", "gehost op", "hosted on", "gehostet auf"] },
  {
    key: "uptime_enabled",
    kind: "boolean",
    names: ["uptime", "monitoring", "bewaakt", "bewaking", "uptime monitoring", "überwacht", "überwachung"],
  },
  {
    key: "technical_owner",
    kind: "text",
    names: ["technisch beheerder", "technische eigenaar", "technical owner", "beheerder", "technisch verantwoordelijk"],
  },
];
