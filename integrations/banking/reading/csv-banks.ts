import { shortened } from "../../../core/values/stored-text.ts";
import type { RowEntry } from "./csv-rows.ts";
import { labelled } from "./labelled-text.ts";
import { PLAIN, type StatementFormat } from "./read-statement.ts";
import { type FaultAt, StatementUnreadable } from "./unreadable.ts";
import { accountOf, amountOf, currencyOf, lineOrNull, negated, oneLine, referenceOf, writtenDay } from "./values.ts";

/** The cell of a row under one of these headers; empty if the file has none of them. */
export type Cell = (...headers: readonly string[]) => string;

/** The CSV of a bank whose columns have names. */
export interface NamedCsv {
  format: StatementFormat;
  /** Headers in lower case that together occur in no other bank's file; of each group one suffices. */
  headers: readonly (readonly string[])[];
  read(cell: Cell, place: { line: number }): RowEntry;
}

/** The account of a row. @throws StatementUnreadable */
export function ownAccount(text: string, place: FaultAt): string {
  const account = accountOf(text);
  if (account === null) throw new StatementUnreadable("unreadable_entry", `'${shortened(text, 40)}' is not an account.`, place);
  return account;
}

const balance = (text: string, place: FaultAt): string | null => (text.trim() === "" ? null : amountOf(text, place));

const OUT = new Set(["af", "debit", "d"]);
const IN = new Set(["bij", "credit", "c"]);

/** An amount whose sign is in a word of its own. @throws StatementUnreadable */
function signed(amount: string, word: string, place: FaultAt): string {
  const value = amountOf(amount, place);
  const sign = word.trim().toLowerCase();
  if (IN.has(sign)) return value;
  if (OUT.has(sign)) return negated(value);
  throw new StatementUnreadable("unreadable_entry", `'${shortened(word, 20)}' is neither debit nor credit.`, place);
}

const ing: NamedCsv = {
  format: "ing",
  headers: [
    ["af bij", "debit/credit"],
    ["bedrag (eur)", "amount (eur)"],
    ["mededelingen", "notifications"],
  ],
  read(cell, place) {
    const note = cell("mededelingen", "notifications");
    const labels = labelled(note, place);
    const kind = cell("code").trim().toUpperCase();
    return {
      account: ownAccount(cell("rekening", "account"), place),
      after: balance(cell("saldo na mutatie", "resulting balance"), place),
      entry: {
        ...PLAIN,
        booked_on: writtenDay(cell("datum", "date"), place),
        amount: signed(cell("bedrag (eur)", "amount (eur)"), cell("af bij", "debit/credit"), place),
        currency: "EUR",
        counter_iban: accountOf(cell("tegenrekening", "counterparty")) ?? labels?.counter_iban ?? null,
        counter_name: labels?.counter_name ?? lineOrNull(cell("naam / omschrijving", "name / description"), place),
        text: labels?.text ?? oneLine(note, place),
        reference: labels?.reference ?? null,
        kind: kind === "DV" && cell("tegenrekening", "counterparty").trim() === "" ? "bank_costs" : "payment",
        position: place.line,
      },
    };
  },
};

const rabobank: NamedCsv = {
  format: "rabobank",
  headers: [["iban/bban"], ["volgnr"], ["saldo na trn"], ["omschrijving-1"]],
  read(cell, place) {
    const original = cell("oorspr bedrag").trim();
    return {
      account: ownAccount(cell("iban/bban"), place),
      after: balance(cell("saldo na trn"), place),
      entry: {
        ...PLAIN,
        booked_on: writtenDay(cell("datum"), place),
        value_on: cell("rentedatum").trim() === "" ? null : writtenDay(cell("rentedatum"), place),
        amount: amountOf(cell("bedrag"), place),
        currency: currencyOf(cell("munt").trim(), place),
        counter_iban: accountOf(cell("tegenrekening iban/bban")),
        counter_name: lineOrNull(cell("naam tegenpartij"), place),
        text: oneLine([cell("omschrijving-1"), cell("omschrijving-2"), cell("omschrijving-3")].join(" "), place),
        reference: referenceOf(cell("betalingskenmerk").trim() || cell("transactiereferentie"), place),
        bank_reference: referenceOf(cell("volgnr"), place),
        kind:
          cell("code").trim().toLowerCase() === "db" && cell("tegenrekening iban/bban").trim() === "" ? "bank_costs" : "payment",
        return_reason: lineOrNull(cell("reden retour"), place),
        original_amount: original === "" ? null : amountOf(original, place),
        original_currency: original === "" ? null : currencyOf(cell("oorspr munt").trim(), place),
        position: place.line,
      },
    };
  },
};

const bunq: NamedCsv = {
  format: "bunq",
  headers: [
    ["interest date", "rentedatum"],
    ["amount", "bedrag"],
    ["account", "rekening"],
    ["name", "naam"],
    ["description", "omschrijving"],
  ],
  read: (cell, place) => ({
    account: ownAccount(cell("account", "rekening"), place),
    after: null,
    entry: {
      ...PLAIN,
      booked_on: writtenDay(cell("date", "datum"), place),
      value_on: writtenDay(cell("interest date", "rentedatum"), place),
      // Thousands are separated in this file alone.
      amount: amountOf(cell("amount", "bedrag").replace(/[.,](?=\d{3}(?:\D|$))/g, ""), place),
      currency: "EUR",
      counter_iban: accountOf(cell("counterparty", "tegenrekening")),
      counter_name: lineOrNull(cell("name", "naam"), place),
      text: oneLine(cell("description", "omschrijving"), place),
      position: place.line,
    },
  }),
};

const knab: NamedCsv = {
  format: "knab",
  headers: [["rekeningnummer"], ["creditdebet"], ["tegenrekeninghouder"], ["betaalwijze"]],
  read: (cell, place) => ({
    account: ownAccount(cell("rekeningnummer"), place),
    after: null,
    entry: {
      ...PLAIN,
      booked_on: writtenDay(cell("boekdatum").trim() || cell("transactiedatum"), place),
      value_on: cell("valutadatum").trim() === "" ? null : writtenDay(cell("valutadatum"), place),
      amount: signed(cell("bedrag"), cell("creditdebet"), place),
      currency: currencyOf(cell("valutacode").trim(), place),
      counter_iban: accountOf(cell("tegenrekeningnummer")),
      counter_name: lineOrNull(cell("tegenrekeninghouder"), place),
      text: oneLine(cell("omschrijving"), place),
      bank_reference: referenceOf(cell("referentie"), place),
      position: place.line,
    },
  }),
};

/** The banks whose files name their columns; the more columns a file needs the earlier it is tried. */
export const NAMED_CSV: readonly NamedCsv[] = [rabobank, knab, ing, bunq];
