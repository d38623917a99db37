import type { Field } from "../../../core/impex/field.ts";

/**
 * The columns of a domain spreadsheet, with their Dutch, English and German headers and those of registrars' lists. Headers are compared
 * without case, spaces and punctuation; of several matches the first non-blank one counts.
 */
export const DOMAIN_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "name",
    kind: "text",
    required: true,
    names: [
      ...["domain", "domain name", "domein", "domeinnaam", "naam", "domeinnamen", "host", "hostname", "fqdn", "url", "website"],
      ...["domainname", "domäne", "domainname ascii"],
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
  {
    key: "status",
    kind: "choice",
    names: ["state", "stand", "domeinstatus", "domain status", "domain status at nc", "zustand"],
    choices: {
      active: ["actief", "live", "ok", "aktiv", "registered", "geregistreerd", "registration active", "in gebruik", "locked"],
      redirect: ["doorverwijzing", "doorsturen", "forward", "forwarding", "weiterleitung"],
      parked: ["geparkeerd", "parking", "geparkt"],
      expired: ["verlopen", "abgelaufen", "redemption", "redemption period", "grace period", "in quarantaine", "quarantaine"],
      inactive: [
        "inactief",
        "opgezegd",
        "vervallen",
        "cancelled",
        "inaktiv",
        "gekündigt",
        "pending delete",
        "deleted",
        "canceled",
      ],
    },
  },
  {
    key: "redirect_url",
    kind: "text",
    names: ["doorverwijzen naar", "doelurl", "redirect", "redirect to", "target", "weiterleitung nach"],
  },
  {
    key: "start_date",
    kind: "date",
    names: [
      ...["startdatum", "registratiedatum", "begindatum", "sinds", "registered", "registration date", "created", "start"],
      ...[
        "registriert",
        "beginn",
        "creation date",
        "domain creation date",
        "created date",
        "create date",
        "created on",
        "created at",
      ],
      ...["registered on", "registered at", "registered date", "aangemaakt", "aangemaakt op", "geregistreerd op", "aanmaakdatum"],
    ],
  },
  {
    key: "next_invoice_date",
    kind: "date",
    names: [
      ...["verlengdatum", "vervaldatum", "volgende factuurdatum", "expiry", "expiry date", "expires", "renewal date", "renews"],
      ...["next invoice", "ablaufdatum", "verlängerung", "expiration date", "domain expiration date", "expiration", "expires on"],
      ...[
        "expires at",
        "expiry on",
        "verloopdatum",
        "verloopt op",
        "verloopt",
        "einddatum",
        "renews on",
        "renew date",
        "next due date",
      ],
    ],
  },
  {
    key: "price_override",
    kind: "number",
    names: [
      ...["prijs", "eigen prijs", "afwijkende prijs", "bedrag", "price", "own price", "amount", "recurring amount", "preis"],
      "betrag",
    ],
  },
  { key: "invoiceable", kind: "boolean", names: ["factureren", "factureerbaar", "billable", "invoice", "abrechenbar"] },
  {
    key: "auto_invoice_mode",
    kind: "choice",
    names: ["automatisch factureren", "auto invoice", "facturatie", "automatische rechnung"],
    choices: {
      off: ["uit", "handmatig", "manual", "aus", "manuell"],
      draft: ["concept", "entwurf"],
      issue: ["uitgeven", "definitief", "ausstellen"],
      send: ["versturen", "verzenden", "email", "senden"],
    },
  },
  { key: "registrar", kind: "text", names: ["registrar name", "geregistreerd bij", "registrator"] },
  {
    key: "registry_contact",
    kind: "text",
    names: ["registrant", "houder", "domeinhouder", "registry contact", "registrant contact", "inhaber"],
  },
  { key: "dns_provider", kind: "text", names: ["dns", "dns bij", "nameservers bij", "dns anbieter"] },
  {
    key: "email_enabled",
    kind: "boolean",
    names: ["e-mail", "mail", "heeft e-mail", "has email", "e-mail aktiv"],
  },
  { key: "email_provider", kind: "text", names: ["e-mail bij", "mailprovider", "mail provider", "e-mail anbieter"] },
  { key: "email_contact", kind: "text", names: ["contact e-mail", "e-mailbeheerder", "e-mail contact", "e-mail kontakt"] },
];
