import type { Field } from "../../../../core/impex/field.ts";

/**
 * The import columns of time entries: their headers here, in Dutch, English and German and in the exports of Toggl, Clockify and Harvest.
 * Headers match regardless of case, spaces and punctuation; of several columns the first that is not blank counts.
 */
export const ENTRY_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "employee",
    kind: "text",
    names: [
      ...["employee email", "user email", "email", "e-mailadres", "medewerker", "werknemer", "gebruiker", "user", "member"],
      ...["team member", "person", "persoon", "naam medewerker", "employee name", "mitarbeiter", "mitarbeiterin", "benutzer"],
    ],
    shapes: [
      {
        // Some files have person names and also a column of this name for employment status.
        first: true,
        from: [
          ["first name", "voornaam", "vorname"],
          ["last name", "achternaam", "nachname"],
        ],
        read: (first, last) => [first, last].filter(Boolean).join(" "),
      },
    ],
  },
  {
    key: "company",
    kind: "text",
    names: [
      ...["client number", "klantnummer", "klantnr", "customer number", "relatienummer", "debiteurnummer", "kundennummer"],
      ...["company id", "client id"],
    ],
  },
  {
    key: "company_name",
    kind: "text",
    importOnly: true,
    names: [
      ...["client", "client name", "klant", "klantnaam", "customer", "customer name", "bedrijf", "bedrijfsnaam"],
      ...["opdrachtgever", "relatie", "relatienaam", "kunde", "kundenname", "auftraggeber", "firma"],
    ],
  },
  { key: "project", kind: "text", names: ["project name", "projectnaam", "project id", "projekt", "projektname"] },
  { key: "task", kind: "text", names: ["task name", "taak", "taaknaam", "task id", "aufgabe", "aufgabenname"] },
  {
    key: "description",
    kind: "text",
    names: [
      ...["omschrijving", "beschrijving", "toelichting", "werkzaamheden", "notities", "notitie", "notes", "note", "comment"],
      ...["memo", "beschreibung", "tätigkeit", "notizen", "bemerkung"],
    ],
  },
  {
    key: "entry_type_key",
    kind: "text",
    names: ["entry type", "urensoort", "uursoort", "soort", "activity", "activiteit", "art", "tätigkeitsart"],
    guesses: [{ names: ["type"] }],
  },
  { key: "started_at", kind: "local datetime", names: ["begonnen op", "gestart op", "begonnen am"] },
  { key: "ended_at", kind: "local datetime", names: ["geëindigd op", "beëindigd op", "beendet am"] },
  { key: "minutes", kind: "number", names: ["minuten", "duration (minutes)", "aantal minuten"] },
  { key: "break_minutes", kind: "number", names: ["break", "pauze", "pauzeminuten", "pause"] },
  {
    key: "billable",
    kind: "boolean",
    names: ["declarabel", "facturabel", "te factureren", "abrechenbar", "verrechenbar", "fakturierbar"],
  },
  {
    key: "date",
    kind: "text",
    dated: true,
    importOnly: true,
    names: ["start date", "datum", "startdatum", "day", "dag", "spent date", "work date", "tag"],
  },
  {
    key: "start_time",
    kind: "text",
    dated: true,
    importOnly: true,
    names: ["start", "begin", "starttijd", "begintijd", "van", "from", "startzeit", "beginn", "von"],
  },
  { key: "end_date", kind: "text", dated: true, importOnly: true, names: ["stop date", "einddatum", "enddatum"] },
  {
    key: "end_time",
    kind: "text",
    dated: true,
    importOnly: true,
    names: ["stop time", "end", "stop", "eind", "einde", "eindtijd", "tot", "to", "endzeit", "ende", "bis"],
  },
  {
    key: "duration",
    kind: "text",
    importOnly: true,
    names: ["duration (h)", "duration (decimal)", "hours", "duur", "uren", "aantal uren", "tijdsduur", "dauer", "stunden"],
  },
];
