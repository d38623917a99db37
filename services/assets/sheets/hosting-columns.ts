import type { Field } from "../../../core/impex/field.ts";

/** The columns of a hosting spreadsheet, with their Dutch, English and German headers. */
export const HOSTING_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "name",
    kind: "text",
    required: true,
    names: [
      ...["hosting", "hosting name", "hostingpakket", "pakket", "naam", "server", "servernaam", "server name", "host"],
      ...["account", "bezeichnung", "paket"],
    ],
  },
  {
    key: "company",
    kind: "text",
    names: [
      ...["client number", "klantnummer", "klantnr", "customer number", "relatienummer", "debiteurnummer", "kundennummer"],
      ...["company id", "company_id", "client id"],
    ],
  },
  {
    key: "company_name",
    kind: "text",
    importOnly: true,
    names: [
      ...["client", "client name", "klant", "klantnaam", "customer", "customer name", "bedrijf", "bedrijfsnaam"],
      ...["opdrachtgever", "relatie", "relatienaam", "debiteur", "kunde", "kundenname", "firma", "owner", "eigenaar"],
    ],
  },
  { key: "provider", kind: "text", names: ["hosting provider", "hoster", "hostingpartij", "aanbieder", "anbieter"] },
  {
    key: "contact",
    kind: "text",
    names: ["contact", "contact person", "contactpersoon", "technical contact", "technisch contact", "ansprechpartner"],
  },
  { key: "ip_address", kind: "text", names: ["ip", "ip address", "ip-adres", "ip adres", "address", "adres", "ip-adresse"] },
];
