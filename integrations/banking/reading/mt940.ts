import { yearOf } from "../../../core/calendar/calendar.ts";
import { checkBalance } from "./balances.ts";
import { described } from "./mt940-text.ts";
import { MOST_ENTRIES, PLAIN, type ReadEntry, type ReadStatement } from "./read-statement.ts";
import { type FaultAt, StatementUnreadable } from "./unreadable.ts";
import { accountOf, amountOf, dayOf, negated, referenceOf } from "./values.ts";

/** A field with its lines and the line of the file where it begins. */
interface Field {
  tag: string;
  lines: string[];
  line: number;
}

const TAG = /^:(\d{2}[A-Z]?):(.*)$/;
const MESSAGE_END = /^-\}?(\{.*\})?$/;
/** Lines around a message: blocks of SWIFT, the name of the bank, the number of the message. */
const ENVELOPE = /^(\{.*|:?940:?.*|[A-Z0-9][\w /.-]{0,79}|\s*)$/;

/** The fields of a file by message. @throws StatementUnreadable for a line that belongs to none */
function messagesOf(text: string): Field[][] {
  const messages: Field[][] = [];
  let current: Field[] | null = null;
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.replace(/\0/g, " ");
    const [, tag, value] = TAG.exec(line) ?? [];
    if (tag === "20") messages.push((current = []));
    if (tag !== undefined && current) current.push({ tag, lines: [value as string], line: index + 1 });
    else if (MESSAGE_END.test(line.trim())) current = null;
    else if (current) current.at(-1)?.lines.push(line);
    else if (tag !== undefined || !ENVELOPE.test(line))
      throw new StatementUnreadable("broken_file", "The line is outside of a message.", { line: index + 1 });
  }
  return messages;
}

const yearIn = (two: string): string => `20${two}`;
const BALANCE = /^([CD])(\d{2})(\d{2})(\d{2})([A-Z]{3})(\d{1,12},\d{0,3})/;

/** A balance: its sign, day, currency and amount. @throws StatementUnreadable */
function balanceOf({ tag, lines, line }: Field) {
  const [, sign, year, month, day, currency, amount] = BALANCE.exec(lines[0]?.trim() ?? "") ?? [];
  if (sign === undefined) throw new StatementUnreadable("broken_file", `Field :${tag}: is not a balance.`, { line });
  const value = amountOf(amount as string, { line });
  return {
    amount: sign === "D" ? negated(value) : value,
    day: dayOf(yearIn(year as string), month as string, day as string, { line }),
    currency: currency as string,
  };
}

const ENTRY = /^(\d{2})(\d{2})(\d{2})(\d{2})?(\d{2})?(RC|RD|C|D)([A-Z])?(\d{1,12},\d{0,3})([A-Z][A-Z0-9]{3})(.*)$/;
const COSTS = new Set(["CHG", "COM"]);

/** The day of the booking: month and day, in the year that is nearest to the value date. */
function bookedOn(value: string, month: string | undefined, day: string | undefined, at: FaultAt): string {
  if (month === undefined || day === undefined) return value;
  const apart = Number(month) - Number(value.slice(5, 7));
  const year = yearOf(value) + (apart > 6 ? -1 : apart < -6 ? 1 : 0);
  return dayOf(String(year), month, day, at);
}

/** An entry (field 61) with its description (field 86). @throws StatementUnreadable */
function entryOf({ lines, line }: Field, currency: string, description: Field | undefined): ReadEntry {
  const at = { line };
  const [whole, year, month, day, bookMonth, bookDay, sign, , digits, type, rest] = ENTRY.exec(lines[0]?.trim() ?? "") ?? [];
  if (whole === undefined) throw new StatementUnreadable("unreadable_entry", "Field :61: is not an entry.", at);
  const value_on = dayOf(yearIn(year as string), month as string, day as string, at);
  const amount = amountOf(digits as string, at);
  const [customer, bank] = (rest as string).split("//");
  const details = described(description?.lines ?? [], { line: description?.line ?? line });
  const supplementary = lines.slice(1).join("").trim();
  const code = (type as string).slice(1);
  return {
    ...PLAIN,
    booked_on: bookedOn(value_on, bookMonth, bookDay, at),
    value_on,
    amount: sign === "C" || sign === "RD" ? amount : negated(amount),
    currency,
    ...details,
    // Rabobank writes the other account on a line of its own.
    counter_iban:
      details.counter_iban ?? (/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(supplementary) ? accountOf(supplementary) : null),
    reference: details.reference ?? referenceOf(customer, at),
    bank_reference: referenceOf(bank, at),
    kind: COSTS.has(code) ? "bank_costs" : code === "INT" ? "interest" : "payment",
    reversal: (sign as string).startsWith("R"),
    position: line,
  };
}

/** The statement of a message. @throws StatementUnreadable */
function statementOf(fields: readonly Field[]): ReadStatement {
  const line = fields[0]?.line;
  const needed = (tag: string, ...others: string[]): Field => {
    const found = fields.find((field) => field.tag === tag || others.includes(field.tag));
    if (!found) throw new StatementUnreadable("broken_file", `The message has no field :${tag}:.`, { line });
    return found;
  };
  const opening = balanceOf(needed("60F", "60M"));
  const closing = balanceOf(needed("62F", "62M"));
  const named = needed("25");
  const account = accountOf(named.lines[0]?.replace(/^.*\//, "").replace(/[ ]?[A-Z]{3}$/, ""));
  if (account === null) throw new StatementUnreadable("broken_file", "Field :25: is not an account.", { line: named.line });
  const entries = fields.flatMap((field, index) => {
    const next = fields[index + 1];
    return field.tag === "61" ? entryOf(field, opening.currency, next?.tag === "86" ? next : undefined) : [];
  });
  const days = entries.map(({ booked_on }) => booked_on).toSorted();
  const statement: ReadStatement = {
    format: "mt940",
    account,
    currency: opening.currency,
    number: fields.find(({ tag }) => tag === "28C" || tag === "28")?.lines[0]?.trim() || null,
    from: days[0] ?? opening.day,
    to: days.at(-1) ?? closing.day,
    opening: opening.amount,
    closing: closing.amount,
    entries,
    pending: 0,
    balances: true,
  };
  checkBalance(statement);
  return statement;
}

/** Whether a text is an MT940: it has a field of the statement's account and an opening balance. */
export const isMt940 = (text: string): boolean => /^:25:/m.test(text) && /^:60[FM]:/m.test(text);

/**
 * The statements of an MT940 file (SWIFT), with or without its blocks.
 * @throws StatementUnreadable for a message without account or balances, an entry that cannot be read, and balances that do not add up
 */
export function readMt940(text: string): ReadStatement[] {
  const statements = messagesOf(text).map(statementOf);
  const entries = statements.reduce((most, one) => most + one.entries.length, 0);
  if (entries > MOST_ENTRIES)
    throw new StatementUnreadable("too_many_entries", `The file has more than ${MOST_ENTRIES} entries.`);
  return statements;
}
