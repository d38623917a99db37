import type { Field } from "../../../core/impex/field.ts";
import { readBoolean } from "../../../core/impex/files/cell.ts";

/**
 * The import columns of projects: their headers here, in Dutch, English and German and in the exports of tools that agencies migrate from,
 * and the words of their values. Headers match regardless of case, spaces and punctuation; of several columns the first that is not blank
 * counts.
 */
export const PROJECT_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "name",
    kind: "text",
    required: true,
    names: ["projectnaam", "project name", "project", "naam", "titel", "title", "projekt", "projektname", "omschrijving project"],
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
      ...["opdrachtgever", "relatie", "relatienaam", "kunde", "kundenname", "auftraggeber", "firma"],
    ],
  },
  {
    key: "status",
    kind: "choice",
    names: ["projectstatus", "project status", "state", "fase", "stand"],
    shapes: [
      {
        from: [["is active", "active", "actief", "aktiv"]],
        read: (text) => ({ true: "active", false: "archived" })[String(readBoolean(text))] ?? "",
      },
    ],
    choices: {
      active: [
        ...["actief", "lopend", "open", "in progress", "in uitvoering", "bezig", "ongoing", "running"],
        ...["aktiv", "laufend", "offen", "in bearbeitung"],
      ],
      on_hold: [
        "on hold",
        "in de wacht",
        "gepauzeerd",
        "wachtend",
        "paused",
        "planned",
        "gepland",
        "pausiert",
        "wartend",
        "geplant",
      ],
      completed: [
        "afgerond",
        "gereed",
        "voltooid",
        "klaar",
        "done",
        "complete",
        "finished",
        "closed",
        "gesloten",
        "abgeschlossen",
        "fertig",
      ],
      archived: [
        "gearchiveerd",
        "archief",
        "inactief",
        "inactive",
        "vervallen",
        "cancelled",
        "geannuleerd",
        "archiviert",
        "inaktiv",
      ],
    },
  },
  {
    key: "description",
    kind: "text",
    names: [
      "omschrijving",
      "beschrijving",
      "toelichting",
      "notities",
      "project notes",
      "notes",
      "note",
      "beschreibung",
      "notizen",
    ],
  },
  {
    key: "billable_default",
    kind: "boolean",
    names: ["billable", "factureerbaar", "declarabel", "is billable", "abrechenbar", "verrechenbar"],
  },
  {
    key: "budget_hours",
    kind: "number",
    names: [
      ...["budget uren", "urenbudget", "budget (uren)", "hour budget", "hours budget", "budget (hours)", "geschatte uren"],
      ...["estimated hours", "estimate hours", "begrote uren", "time estimate", "stundenbudget", "geplante stunden"],
    ],
  },
  {
    key: "budget_amount",
    kind: "number",
    names: [
      ...["budget", "budget bedrag", "budget amount", "budget (money)", "fixed fee", "vaste prijs", "projectbudget"],
      ...["project budget", "budgetbetrag", "festpreis"],
    ],
  },
  {
    key: "budget_period",
    kind: "choice",
    names: ["budgetperiode", "budget period", "periode", "recurring", "budget interval", "budgetzeitraum"],
    choices: {
      total: ["totaal", "eenmalig", "project", "one-time", "once", "gesamt", "einmalig"],
      monthly: ["maandelijks", "per maand", "maand", "month", "per month", "monatlich", "monat"],
      weekly: ["wekelijks", "per week", "week", "wöchentlich", "woche"],
      daily: ["dagelijks", "per dag", "dag", "day", "per day", "täglich", "tag"],
    },
  },
  { key: "currency", kind: "text", names: ["valuta", "munteenheid", "währung"] },
  {
    key: "start_date",
    kind: "date",
    names: ["startdatum", "begindatum", "start", "begin", "starts on", "project start", "beginn", "anfangsdatum"],
  },
  {
    key: "end_date",
    kind: "date",
    names: [
      ...["einddatum", "eind", "end", "deadline", "due date", "opleverdatum", "ends on", "project end"],
      ...["enddatum", "ende", "fälligkeitsdatum"],
    ],
  },
  { key: "color", kind: "text", names: ["kleur", "colour", "project color", "farbe"] },
  {
    key: "responsible",
    kind: "text",
    names: [
      ...["verantwoordelijke", "projectleider", "projectmanager", "project manager", "project lead", "manager", "eigenaar"],
      ...["owner", "lead", "verantwortlicher", "projektleiter"],
    ],
  },
  {
    key: "assignees",
    kind: "list",
    names: [
      "team",
      "teamleden",
      "medewerkers",
      "team members",
      "members",
      "project members",
      "people",
      "mitarbeiter",
      "teammitglieder",
    ],
  },
];
