import { addDays, daysBetween, type IsoDate } from "../../../core/calendar/calendar.ts";
import type { DocumentBody, Invoicing } from "../../api/money/documents/invoicing.ts";
import { ok } from "../../api/money/documents/invoicing.ts";

/** What happened to a document: an amount that settles it (in its currency, cents) and the day. */
export interface Settling {
  day: IsoDate;
  cents: number;
}
/** A document as the API answers it, with what happened to it. */
export interface Written {
  body: DocumentBody;
  settlings: Settling[];
  cancelled: IsoDate | null;
}

/** Numbers of a seed: the same each run (a linear congruential generator). */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  /** A whole number from 0 up to `most`, without it. */
  below(most: number): number {
    this.#state = (this.#state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((this.#state / 4_294_967_296) * most);
  }
  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

export const cents = (amount: string): number => Math.round(Number(amount) * 100);
const text = (amount: number): string => (amount / 100).toFixed(2);

/** Days of the random documents. */
export const SPAN = { from: "2026-01-01", to: "2026-08-31" };
const DAYS = daysBetween(SPAN.from, SPAN.to);

/**
 * Writes random documents through the API: several rates and clients, prices with and without tax, dollars with a rate, discounts, payments
 * in parts, too much and back, credit notes that are set off, their refunds, and cancellations (moved to a random day by SQL).
 */
export async function randomDocuments(
  invoicing: Invoicing,
  companies: readonly string[],
  count: number,
  seed: number,
): Promise<Written[]> {
  const dice = new Dice(seed);
  const written: Written[] = [];
  const day = (after: IsoDate = SPAN.from) =>
    addDays(after, dice.below(Math.max(1, Math.min(DAYS, daysBetween(after, SPAN.to)))));
  const lines = () =>
    Array.from({ length: 1 + dice.below(4) }, () =>
      invoicing.line(1 + dice.below(3), text(100 + dice.below(90_000)), dice.one(["21", "21", "9", "exempt", "reverse"])),
    );
  const settle = async (one: Written, amount: number, paid_on: IsoDate) => {
    await invoicing.pay(one.body.id, text(amount), { paid_on });
    one.settlings.push({ day: paid_on, cents: amount });
  };
  const cancel = async (one: Written) => {
    const cancelled = day(one.body.issue_date);
    await ok(invoicing.owner.post(`/invoicing/invoices/${one.body.id}/cancel`));
    await invoicing.service.sql.query("update invoices set cancelled_at = $2::date + interval '12 hours' where id = $1", [
      one.body.id,
      cancelled,
    ]);
    one.cancelled = cancelled;
  };
  for (let n = 0; n < count; n++) {
    const dollars = dice.chance(20);
    const draft = await invoicing.draft(
      dice.chance(15) ? [...lines(), invoicing.line(1, text(-50 - dice.below(5_000)), "9")] : lines(),
      {
        company_id: dice.one(companies),
        prices_include_tax: dice.chance(30),
        ...(dollars && { currency: "USD", exchange_rate: dice.one(["0.92", "0.874321"]) }),
      },
    );
    const issue_date = day();
    const body = await invoicing.issue(draft.id, { issue_date, due_date: day(issue_date) });
    const invoice: Written = { body, settlings: [], cancelled: null };
    written.push(invoice);
    const total = cents(body.total);
    if (total <= 0) continue;
    if (dice.chance(12)) {
      await cancel(invoice);
      continue;
    }
    let paid = 0;
    for (let part = dice.below(3); part > 0; part--) {
      const amount = dice.chance(30) ? total - paid : 1 + dice.below(total);
      if (amount !== 0) await settle(invoice, amount, day(body.issue_date));
      paid += amount;
    }
    if (paid > 0 && dice.chance(15)) await settle(invoice, -(1 + dice.below(paid)), day(body.issue_date));
    if (dice.chance(35)) await credit(invoice);
  }
  return written;

  async function credit(source: Written): Promise<void> {
    const draft = await invoicing.credit(source.body.id);
    if (dice.chance(50) && draft.lines.length > 1) {
      const kept = draft.lines.slice(0, 1).map(({ description, quantity, unit_price, tax_rate_id }: DocumentBody) => ({
        ...{ description, quantity, unit_price, tax_rate_id },
      }));
      await ok(invoicing.owner.patch(`/invoicing/invoices/${draft.id}`, { lines: kept }));
    }
    const issued = await invoicing.owner.post(`/invoicing/invoices/${draft.id}/issue`, {
      issue_date: day(source.body.issue_date),
    });
    if (issued.status >= 300) return;
    const note: Written = { body: issued.body, settlings: [], cancelled: null };
    written.push(note);
    const applied = cents(note.body.applied_total);
    if (applied !== 0) {
      source.settlings.push({ day: note.body.issue_date, cents: applied });
      note.settlings.push({ day: note.body.issue_date, cents: -applied });
    }
    const open = cents(note.body.outstanding);
    if (open < 0 && dice.chance(40))
      return settle(note, dice.chance(50) ? open : -(1 + dice.below(-open)), day(note.body.issue_date));
    if (!dice.chance(30)) return;
    await cancel(note).then(() => {
      if (applied === 0) return;
      source.settlings.push({ day: note.cancelled as IsoDate, cents: -applied });
      note.settlings.push({ day: note.cancelled as IsoDate, cents: applied });
    });
  }
}
