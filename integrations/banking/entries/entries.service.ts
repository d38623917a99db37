import { listQuery } from "../../../core/database/lists/list.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { choice, date, flag, integer, optional, page, text, uuid } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import { resource } from "../../../mixins/resource.ts";
import { bookEntry, entryFacts, lockEntry, lockInvoices, unbookEntry } from "../matching/booking.ts";
import { bookChosen, choose } from "../matching/match-all.ts";
import { proposalsNow, propose } from "../matching/proposing.ts";
import { BankEntry } from "../models.ts";
import { WHOLE_ACCOUNT } from "../whole-account.ts";
import { entries, entryListing } from "./entry.list.ts";
import { BankEntryIgnore, BankEntryMatch, BankEntryRead, BankMatchAllRead, STATES } from "./entry-schemas.ts";

const read = { permission: "banking.statement.read", everyClient: true, exceptions: { selection: WHOLE_ACCOUNT } } as const;
const write = { permission: "banking.statement.write", everyClient: true, exceptions: { selection: WHOLE_ACCOUNT } } as const;
/** Whoever books an entry books payments. */
const books = { ...write, also: ["invoicing.payment.write"] } as const;

/** Score from which proposals can be confirmed together: number and amount agree. */
const LEAST = 80;

export default resource("banking.entries", {
  model: BankEntry,
  actions: {
    list: action({
      ...read,
      rest: "GET /banking/entries",
      summary: "List entries of the bank accounts, the latest first",
      query: {
        ...listQuery(entryListing.spec.sorts),
        state: optional(choice(STATES)),
        company_id: optional(uuid()),
        statement_id: optional(uuid()),
        account: optional(text(34)),
        from: optional(date()),
        to: optional(date()),
      },
      returns: page(BankEntryRead),
      handler: ({ params: { state, company_id, statement_id, account, from, to, ...asked } }) =>
        entries.page(asked, { state, company_id, statement_id, account, from, to }),
    }),

    get: action({
      ...read,
      rest: "GET /banking/entries/:bank_entry_id",
      summary: "Read one entry of a bank account",
      returns: BankEntryRead,
      handler: (ctx) => entries.one(ctx.params.bank_entry_id),
    }),

    match: action({
      ...books,
      rest: "POST /banking/entries/:bank_entry_id/match",
      summary: "Book an entry on invoices",
      description:
        "Registers a payment with the method `bank` on each invoice, on the day of the entry, as `POST /invoicing/invoices/{invoice_id}/payments` does. What is left of the entry stays open and can be matched later. Money that went out pays credit notes, or overpaid invoices back.",
      conditional: true,
      status: 200,
      body: BankEntryMatch,
      example: { allocations: [{ invoice_id: "0e16cdf3-0c1e-4a5b-8d2f-0e16cdf30004", amount: "1028.44" }] },
      returns: BankEntryRead,
      errors: ["conflict errors.banking.ignored", "conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        const { bank_entry_id: id, body } = ctx.params;
        const invoices = await lockInvoices(body.allocations.map(({ invoice_id }) => invoice_id));
        const entry = await lockEntry(id);
        requireMatch(entry.version);
        await bookEntry(entry, body.allocations, invoices);
        await propose([id]);
        return entries.answerWith(id);
      },
    }),

    unmatch: action({
      ...books,
      rest: "POST /banking/entries/:bank_entry_id/unmatch",
      summary: "Undo the match of an entry",
      description:
        "Deletes the payments that it booked; invoices that are no longer settled are open again, and so is the entry.",
      conditional: true,
      status: 200,
      returns: BankEntryRead,
      errors: ["conflict errors.banking.not_matched", "conflict errors.invoicing.wrong_status", "conflict"],
      async handler(ctx) {
        const id = ctx.params.bank_entry_id;
        await unbookEntry(id, ({ version }) => requireMatch(version));
        await propose([id]);
        return entries.answerWith(id);
      },
    }),

    ignore: action({
      ...write,
      rest: "POST /banking/entries/:bank_entry_id/ignore",
      summary: "Set an entry aside that pays no invoice",
      conditional: true,
      status: 200,
      body: BankEntryIgnore,
      example: { ignored_as: "bank_costs", note: "Kosten betaalpakket maart" },
      returns: BankEntryRead,
      errors: ["conflict errors.banking.matched", "conflict errors.banking.ignored"],
      async handler(ctx) {
        const { bank_entry_id: id, body } = ctx.params;
        const entry = await lockEntry(id);
        requireMatch(entry.version);
        if (entry.ignored_as !== null) throw conflict("errors.banking.ignored");
        if (entry.state === "matched" || !decimal(entry.matched_amount).isZero()) throw conflict("errors.banking.matched");
        const { ignored_as, note } = body;
        queueUpdate(BankEntry, id, { ignored_as, note: note?.trim() || null, state: "ignored", proposals: [] });
        emit("banking.entry.ignored", "bank_entry", id, { ...entryFacts(entry), ignored_as });
        trail("bank_entry", id, "ignored", { ignored_as });
        return entries.answerWith(id);
      },
    }),

    reopen: action({
      ...write,
      rest: "POST /banking/entries/:bank_entry_id/reopen",
      summary: "Open an ignored entry again",
      conditional: true,
      status: 200,
      returns: BankEntryRead,
      errors: ["conflict errors.banking.not_ignored"],
      async handler(ctx) {
        const id = ctx.params.bank_entry_id;
        const entry = await lockEntry(id);
        requireMatch(entry.version);
        if (entry.ignored_as === null) throw conflict("errors.banking.not_ignored");
        queueUpdate(BankEntry, id, { ignored_as: null, note: null, state: "open" });
        emit("banking.entry.reopened", "bank_entry", id, entryFacts(entry));
        trail("bank_entry", id, "reopened", { ignored_as: entry.ignored_as });
        await propose([id]);
        return entries.answerWith(id);
      },
    }),

    matchAll: action({
      ...books,
      rest: "POST /banking/match-all",
      summary: "Book all entries whose best proposal is good enough",
      description:
        "Unless `dry_run` is false it books nothing, and says what it would. A proposal counts if no other does as well. Each invoice is paid by one entry, the oldest; at most 200 entries are booked by a call.",
      status: 200,
      query: {
        dry_run: optional(flag(true)),
        min_score: optional(
          integer(LEAST, 100, {
            default: 100,
            description:
              "Least score of a proposal: 100 is exact, 80 has number and amount without the account or name of the client",
          }),
        ),
      },
      returns: BankMatchAllRead,
      errors: ["conflict errors.invoicing.wrong_status"],
      async handler({ params: { dry_run = true, min_score = 100 } }) {
        const { chosen, leftOut } = choose(await proposalsNow(), ({ score }) => score >= min_score);
        const booked = new Set(dry_run ? chosen.map(({ entry }) => entry.id) : await bookChosen(chosen));
        const listed = chosen.filter(({ entry }) => booked.has(entry.id));
        return {
          dry_run,
          matched: listed.length,
          left_out: leftOut + chosen.length - listed.length,
          entries: listed.map(({ entry, proposal }) => ({
            entry_id: entry.id,
            amount: formatDecimal(sum(proposal.allocations.map(({ amount }) => amount))),
            score: proposal.score,
            invoice_ids: proposal.allocations.map(({ invoice_id }) => invoice_id),
          })),
        };
      },
    }),
  },
});
