import { expect } from "chai";
import { sharedService, type TestService } from "../../support/service.ts";
import { rounds } from "../../support/tier.ts";
import { type DocumentBody, Invoicing, ok } from "../money/documents/invoicing.ts";
import { type Paid, send, statementOf } from "./bank.ts";

/** A generator of whole numbers below a bound, the same for one seed (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const cents = (amount: string): number => Math.round(Number(amount) * 100);
const euros = (amount: number): string => (amount / 100).toFixed(2);

/** What the bank has booked, as the test knows it: by reference, in cents. */
type Bank = Map<string, number>;

interface World {
  books: Invoicing;
  invoices: DocumentBody[];
  bank: Bank;
  /** All payments, in the order of the bank. */
  paid: Paid[];
  below: (most: number) => number;
}

/** New payments at the bank: of an invoice in full or in part, of several, a refund, costs, and unexplained money. */
function morePayments({ invoices, bank, paid, below }: World): void {
  for (let count = 1 + below(4); count > 0; count -= 1) {
    const invoice = invoices[below(invoices.length)] as DocumentBody;
    const reference = `P${bank.size + 1}`;
    const isOut = below(5) === 0;
    const amount = [euros(1 + below(9000)), invoice.total, euros(Math.max(1, Math.round(cents(invoice.total) / 2)))][
      below(3)
    ] as string;
    const text = [invoice.number, invoice.number.replace("-", ""), "dank", `${invoice.number} ${invoices[0]?.number}`][
      below(4)
    ] as string;
    paid.push({
      amount,
      text,
      reference,
      direction: isOut ? "DBIT" : "CRDT",
      day: `2026-06-${String(1 + (bank.size % 28)).padStart(2, "0")}`,
    });
    bank.set(reference, isOut ? -cents(amount) : cents(amount));
  }
}

/** Uploads some payments in a row: new ones, the same again, or an overlap of both. @returns their references */
async function upload({ books, paid, below }: World): Promise<string[]> {
  const from = below(paid.length);
  const sent = paid.slice(from, from + 1 + below(paid.length - from));
  await ok(send(books.owner, statementOf(sent)));
  return sent.map(({ reference }) => reference as string);
}

/** One thing that a person does with the entries. A refusal is as good as a success: nothing may change by it. */
async function act({ books, invoices, below }: World): Promise<void> {
  const { items } = await ok(books.owner.get("/banking/entries?limit=200"));
  const entry = items[below(items.length)] as DocumentBody | undefined;
  if (!entry) return;
  const post = (what: string, body?: object) => books.owner.post(`/banking/entries/${entry.id}/${what}`, body);
  const [best] = entry.proposals as DocumentBody[];
  const { id } = invoices[below(invoices.length)] as DocumentBody;
  const part = euros(Math.trunc((cents(entry.open_amount) * (1 + below(4))) / 3));
  switch (below(7)) {
    case 0:
      await post("match", { allocations: [{ invoice_id: id, amount: part }] });
      break;
    case 1:
      if (best)
        await post("match", {
          allocations: best.allocations.map((one: DocumentBody) => ({ invoice_id: one.invoice_id, amount: one.amount })),
        });
      break;
    case 2:
      await post("unmatch");
      break;
    case 3:
      await post(
        entry.state === "ignored" ? "reopen" : "ignore",
        entry.state === "ignored" ? undefined : { ignored_as: "other" },
      );
      break;
    case 4:
      await ok(books.owner.post("/banking/match-all?min_score=80&dry_run=false"));
      break;
    case 5:
      for (const { invoice_id, payment_id } of entry.allocations.slice(0, 1))
        await ok(books.owner.delete(`/invoicing/invoices/${invoice_id}/payments/${payment_id}`));
      break;
    default:
      await Promise.all([
        post("match", { allocations: [{ invoice_id: id, amount: part }] }),
        post("match", { allocations: [{ invoice_id: id, amount: part }] }),
      ]);
  }
}

/** The books, computed from the rows of payments and entries alone. */
async function proveBooks(service: TestService, { books, bank, paid }: World, uploaded: Set<string>): Promise<void> {
  const { rows: entries } = await service.sql.query(
    "select id, bank_reference, amount, matched_amount, open_amount, state from bank_entries where organisation_id = $1",
    [books.tenant.organisation.id],
  );
  const { rows: payments } = await service.sql.query(
    `select p.amount, a.entry_id from invoice_payments p left join bank_allocations a on a.payment_id = p.id where p.organisation_id = $1`,
    [books.tenant.organisation.id],
  );
  expect(paid).to.have.length(bank.size);
  // Each entry once, with the amount of the bank.
  expect(entries.map(({ bank_reference }) => bank_reference).toSorted()).to.deep.equal([...uploaded].toSorted());
  for (const { bank_reference, amount } of entries) expect(cents(amount), bank_reference).to.equal(bank.get(bank_reference));
  // Every payment is one of an entry, and booked what the entries say.
  const booked = new Map<string, number>();
  for (const { amount, entry_id } of payments) booked.set(entry_id, (booked.get(entry_id) ?? 0) + cents(amount));
  expect(booked.has(null as unknown as string), "a payment without an entry").to.equal(false);
  let total = 0;
  for (const { id, amount, matched_amount, open_amount, state } of entries) {
    const own = booked.get(id) ?? 0;
    expect(cents(matched_amount), id).to.equal(own);
    expect(cents(open_amount), id).to.equal(cents(amount) - own);
    expect(Math.abs(own), "never more than came").to.be.at.most(Math.abs(cents(amount)));
    expect(state === "matched", `${id} is ${state}`).to.equal(own === cents(amount));
    if (state === "ignored") expect(own).to.equal(0);
    total += own + cents(open_amount);
  }
  expect(total).to.equal([...uploaded].reduce((sum, reference) => sum + (bank.get(reference) as number), 0));
  const { rows: invoices } = await service.sql.query(
    `select i.paid_total, coalesce((select sum(p.amount) from invoice_payments p where p.invoice_id = i.id), 0) as paid
       from invoices i where i.organisation_id = $1`,
    [books.tenant.organisation.id],
  );
  for (const { paid_total, paid: sum } of invoices) expect(cents(paid_total)).to.equal(cents(sum));
}

describe("random statements", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const STATEMENTS = rounds(40, 2000);
  /** Statements of one organisation. */
  const EACH = 20;

  it(`add up, ${STATEMENTS} of them: entries are bookings and what is open, and nothing is booked twice`, async function () {
    this.timeout(0);
    for (let round = 0; round < STATEMENTS / EACH; round += 1) {
      const books = await Invoicing.open(service, await service.tenant());
      const below = seeded(51 + round);
      const world: World = { books, invoices: [], bank: new Map(), paid: [], below };
      for (let count = 0; count < 6; count += 1)
        world.invoices.push(await books.issued([books.line(1, euros(100 + below(9000)), "exempt")]));
      const uploaded = new Set<string>();
      for (let count = 0; count < EACH; count += 1) {
        morePayments(world);
        for (const reference of await upload(world)) uploaded.add(reference);
        for (let acts = below(4); acts > 0; acts -= 1) await act(world);
      }
      await proveBooks(service, world, uploaded);
    }
  });
});
