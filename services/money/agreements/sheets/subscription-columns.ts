import type { Field } from "../../../../core/impex/field.ts";

/**
 * The columns of an agreement spreadsheet: their keys, their Dutch, English and German headers, and the words for their values.
 * Headers match without case, spaces and punctuation; of several matching columns the first non-blank value counts.
 */
export const SUBSCRIPTION_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "name",
    kind: "text",
    required: true,
    names: [
      ...[
        "abonnement",
        "abonnementsnaam",
        "naam",
        "titel",
        "omschrijving",
        "contract",
        "subscription",
        "subscription name",
        "agreement",
      ],
      ...["title", "description", "vertrag", "vertragsname", "abo", "bezeichnung"],
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
      ...["opdrachtgever", "relatie", "relatienaam", "debiteur", "kunde", "kundenname", "firma"],
    ],
  },
  {
    key: "status",
    kind: "choice",
    names: ["state", "stand", "abonnementstatus", "subscription status"],
    choices: {
      draft: ["concept", "entwurf"],
      active: ["actief", "lopend", "live", "running", "aktiv", "laufend"],
      paused: ["gepauzeerd", "pauze", "on hold", "in de wacht", "pausiert"],
      cancelled: ["opgezegd", "geannuleerd", "beëindigd", "canceled", "ended", "inactief", "inactive", "gekündigt", "beendet"],
    },
  },
  {
    key: "amount",
    kind: "number",
    names: ["bedrag", "prijs", "price", "tarief", "bedrag per periode", "betrag", "preis"],
  },
  { key: "currency", kind: "text", names: ["valuta", "munteenheid", "währung"] },
  {
    key: "interval",
    kind: "choice",
    names: [
      "periode",
      "period",
      "frequentie",
      "frequency",
      "facturatieperiode",
      "billing interval",
      "cycle",
      "intervall",
      "zeitraum",
    ],
    choices: {
      monthly: ["maandelijks", "per maand", "maand", "month", "per month", "monatlich", "monat"],
      quarterly: ["per kwartaal", "kwartaal", "quarter", "per quarter", "vierteljährlich", "quartal"],
      yearly: ["jaarlijks", "per jaar", "jaar", "year", "annual", "annually", "per year", "jährlich", "jahr"],
    },
  },
  { key: "interval_count", kind: "number", names: ["aantal perioden", "interval aantal", "every", "anzahl intervalle"] },
  {
    key: "start_date",
    kind: "date",
    names: ["startdatum", "begindatum", "ingangsdatum", "start", "begin", "starts on", "beginn", "anfangsdatum"],
  },
  { key: "end_date", kind: "date", names: ["einddatum", "eind", "end", "ends on", "enddatum", "ende"] },
  {
    key: "next_invoice_date",
    kind: "date",
    names: ["volgende factuurdatum", "volgende factuur", "next invoice", "next billing date", "nächste rechnung"],
  },
  {
    key: "anchor",
    kind: "choice",
    names: ["anker", "factuurmoment", "billing anchor", "stichtag"],
    choices: { month_end: ["einde maand", "maandeinde", "end of month", "monatsende"] },
  },
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
  {
    key: "included_hours",
    kind: "number",
    names: ["inbegrepen uren", "uren", "uren inbegrepen", "hours", "included", "inklusive stunden", "stunden"],
  },
  {
    key: "notice_period_days",
    kind: "number",
    names: ["opzegtermijn", "opzegtermijn dagen", "notice period", "kündigungsfrist"],
  },
  { key: "type", kind: "text", names: ["soort", "categorie", "category", "subscription type", "art", "typ"] },
  { key: "template", kind: "text", names: ["sjabloon", "preset", "plan", "product", "pakket", "vorlage", "paket"] },
  { key: "notes", kind: "text", names: ["notities", "opmerkingen", "toelichting", "note", "remarks", "notizen", "bemerkungen"] },
];
