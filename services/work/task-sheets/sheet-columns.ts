import type { Field } from "../../../core/impex/field.ts";
import { readBoolean, readNumber } from "../../../core/impex/files/cell.ts";

/** Converts hours in text to minutes, `""` if the text is not a number. */
function minutesOf(hours: string): string {
  const read = readNumber(hours);
  return read === undefined ? "" : String(Math.round(Number(read) * 60));
}

/** Whole minutes of a count of smaller units, `""` if the text is no count. */
const minutesIn = (text: string, units: number): string => (/^\d+$/.test(text) ? String(Math.round(Number(text) / units)) : "");

/**
 * The import columns of tasks: their headers here, in Dutch, English and German, and in the exports of tools that agencies migrate from.
 * Headers match regardless of case, spaces and punctuation; of several columns the first that is not blank counts.
 */
export const TASK_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "title",
    kind: "text",
    required: true,
    names: [
      ...["titel", "taak", "taaknaam", "task", "task name", "name", "naam", "onderwerp", "subject", "card name", "summary"],
      ...["aufgabe", "aufgabenname", "betreff"],
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
  {
    key: "project",
    kind: "text",
    names: ["project name", "projectnaam", "projects", "project id", "board", "board name", "bord", "projekt", "projektname"],
  },
  {
    key: "status",
    kind: "text",
    names: [
      "taakstatus",
      "task status",
      "state",
      "stand",
      "fase",
      "section/column",
      "section",
      "list",
      "lijst",
      "list name",
      "spalte",
    ],
    shapes: [
      // A moment of completion says more than the column of a board.
      { first: true, from: [["completed at", "completed on", "afgerond op"]], read: (text) => (text === "" ? "" : "done") },
      {
        isWhole: true,
        from: [
          [
            ...["completed", "done", "is done", "finished", "due complete", "afgerond", "voltooid", "gereed", "erledigt"],
            "abgeschlossen",
          ],
        ],
        read: (text) => (readBoolean(text) === true ? "done" : ""),
      },
    ],
  },
  {
    key: "priority",
    kind: "choice",
    names: ["prioriteit", "prio", "urgentie", "urgency", "priorität", "dringlichkeit"],
    choices: {
      // ClickUp counts from 1, urgent, to 4, low.
      low: ["laag", "lowest", "minor", "trivial", "niedrig", "gering", "4"],
      normal: ["normaal", "medium", "middel", "gemiddeld", "none", "geen", "null", "mittel", "3"],
      high: ["hoog", "highest", "urgent", "critical", "blocker", "major", "dringend", "hoch", "1", "2"],
    },
  },
  {
    key: "due_date",
    kind: "date",
    names: [
      ...["deadline", "due", "due on", "due by", "vervaldatum", "einddatum", "streefdatum", "opleverdatum", "end date"],
      ...["fällig", "fälligkeitsdatum", "fällig am", "enddatum"],
    ],
  },
  {
    key: "due_change_reason",
    kind: "text",
    importOnly: true,
    names: ["reden van uitstel", "reason for delay", "grund der verschiebung"],
  },
  {
    key: "responsible",
    kind: "text",
    names: [
      ...[
        "assignee email",
        "assignee",
        "assigned to",
        "toegewezen aan",
        "verantwoordelijke",
        "behandelaar",
        "uitvoerder",
        "owner",
        "eigenaar",
      ],
      ...["zugewiesen an", "verantwortlicher", "bearbeiter"],
    ],
  },
  {
    key: "assignees",
    kind: "list",
    names: ["team", "teamleden", "medewerkers", "members", "people", "uitvoerders", "mitarbeiter", "teammitglieder"],
  },
  {
    key: "allocated_minutes",
    kind: "number",
    names: ["minuten", "minutes", "estimated minutes", "geschatte minuten", "minuten begroot", "geschätzte minuten"],
    shapes: [
      {
        isWhole: true,
        from: [
          [
            ...["estimated hours", "estimate", "time estimate", "estimated time", "geschatte uren", "begrote uren", "uren"],
            ...["geplande uren", "urenbudget", "geschätzte stunden", "stunden"],
          ],
        ],
        read: minutesOf,
      },
      // Jira writes seconds, ClickUp milliseconds.
      { isWhole: true, from: [["original estimate"]], read: (seconds) => minutesIn(seconds, 60) },
      { isWhole: true, from: [["time estimated"]], read: (milliseconds) => minutesIn(milliseconds, 60_000) },
    ],
  },
  { key: "labels", kind: "list", names: ["label", "tags", "tag", "etiketten", "etiket", "categorie", "schlagworte"] },
  {
    key: "description",
    kind: "text",
    names: [
      ...["omschrijving", "beschrijving", "toelichting", "notities", "notitie", "notes", "note", "details", "card description"],
      ...["task content", "beschreibung", "notizen"],
    ],
  },
  {
    key: "requires_interaction",
    kind: "boolean",
    names: ["contactmoment vereist", "contact moment required", "kontakt erforderlich"],
  },
  {
    key: "visible_to_client",
    kind: "boolean",
    names: ["zichtbaar voor klant", "client visible", "visible to clients", "sichtbar für kunden"],
  },
];
