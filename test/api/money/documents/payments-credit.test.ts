import { expect } from "chai";
import { addDays, addMonths } from "../../../../core/calendar/calendar.ts";
import { keepEvents } from "../../../support/jobs.ts";
import { type Caller, sharedService, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

describe("payments and credit notes", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  const balance = ({ status, paid_total, credited_total, applied_total, outstanding }: DocumentBody) => ({
    status,
    paid_total,
    credited_total,
    applied_total,
    outstanding,
  });
  const state = async (id: string) => {
    const { status, outstanding } = await books.read(id);
    return [status, outstanding];
  };
  const unpay = (id: string, payment: string) => books.owner.delete(`/invoicing/invoices/${id}/payments/${payment}`);
  const post = (id: string, act: string, body?: object) => books.owner.post(`/invoicing/invoices/${id}/${act}`, body);
  /** A note about part of an invoice, as a draft. */
  const partly = async (id: string, lines: object[]) => {
    const note = await books.credit(id);
    return ok(books.owner.patch(`/invoicing/invoices/${note.id}`, { lines }));
  };

  describe("a payment", () => {
    it("opens and settles an invoice, each time it does (worked example 7)", async () => {
      const { id } = await books.issued();
      expect(balance(await books.pay(id, "400.00"))).to.include({ status: "open", outstanding: "628.44" });
      const paid = await books.pay(id, 700, { method: "card", note: " by card " });
      expect(balance(paid)).to.include({ status: "paid", paid_total: "1100.00", outstanding: "-71.56" });
      expect(paid.paid_at).to.be.a("string");
      expect(paid.payments.map((one: DocumentBody) => [one.paid_on, one.amount, one.method, one.note])).to.deep.equal([
        ["2026-06-01", "400.00", "bank", null],
        ["2026-06-01", "700.00", "card", "by card"],
      ]);
      const reopened = await ok(unpay(id, paid.payments[0].id));
      expect(balance(reopened)).to.include({ status: "open", paid_total: "700.00", outstanding: "328.44" });
      expect(reopened.paid_at).to.equal(null);
      await books.pay(id, "328.44");
      await books.pay(id, "0.01");
      expect(await books.events(id)).to.deep.equal([
        "invoice.created",
        "invoice.issued",
        "invoice.payment_received",
        "invoice.payment_received",
        "invoice.paid",
        "invoice.payment_removed",
        "invoice.payment_received",
        "invoice.paid",
        "invoice.payment_received",
      ]);
      expect((await books.trail(id)).slice(-5, -1)).to.deep.equal([
        ["payment_registered", { amount: "400.00", method: "bank" }],
        ["payment_registered", { amount: "700.00", method: "card" }],
        ["payment_deleted", { amount: "400.00" }],
        ["payment_registered", { amount: "328.44", method: "bank" }],
      ]);
    });

    it("may be negative, is not nothing, and is never online by hand", async () => {
      const { id } = await books.issued();
      await books.pay(id, "1028.44");
      expect(await books.pay(id, "-28.44")).to.include({ status: "open", outstanding: "28.44" });
      const pay = (body: object) => post(id, "payments", { paid_on: "2026-06-01", ...body });
      const unfit = (field: string) => [422, "errors.validation", { [field]: "errors.validation" }];
      for (const amount of [0, "0.004", "10000000000", "-10000000000"])
        expect(refused(await pay({ amount })), String(amount)).to.deep.equal(unfit("amount"));
      expect(refused(await pay({ amount: 1, method: "online" }))).to.deep.equal(unfit("method"));
      expect((await books.read(id)).payments).to.have.length(2);
    });

    it("was made between 2000 and a year from today", async () => {
      const { id } = await books.issued();
      const today = new Date().toISOString().slice(0, 10);
      const pay = (paid_on: string) => post(id, "payments", { paid_on, amount: 1 });
      for (const day of ["1999-12-31", "0001-01-01", addDays(addMonths(today, 12), 2), "9999-12-31", "20260-06-01"])
        expect(refused(await pay(day)), day).to.deep.equal([422, "errors.validation", { paid_on: "errors.validation" }]);
      expect((await books.read(id)).payments).to.deep.equal([]);
      for (const day of ["2000-01-01", addDays(addMonths(today, 12), -1)]) await ok(pay(day));
    });

    it("is of an open or a paid document alone, and of its own", async () => {
      const draft = await books.draft();
      expect(refused(await post(draft.id, "payments", { paid_on: "2026-06-01", amount: 1 }))).to.deep.equal(rule("wrong_status"));
      const [one, two] = [await books.issued(), await books.issued()];
      const { payments } = await books.pay(one.id, 1);
      expect(refused(await unpay(two.id, payments[0].id))).to.deep.equal([404, "errors.not_found"]);
      expect(refused(await post(one.id, "cancel"))).to.deep.equal(rule("has_payments"));
      await ok(unpay(one.id, payments[0].id));
      await ok(post(one.id, "cancel"));
      expect(refused(await post(one.id, "payments", { paid_on: "2026-06-01", amount: 1 }))).to.deep.equal(rule("wrong_status"));
    });

    it("never settles a document of nothing", async () => {
      const { id } = await books.issued([books.line(1, 0)]);
      expect(await books.pay(id, 1)).to.include({ status: "open", outstanding: "-1.00" });
      expect(await books.events(id)).to.deep.equal(["invoice.created", "invoice.issued", "invoice.payment_received"]);
    });
  });

  describe("a credit note", () => {
    it("shows the number of its source, and an invoice that of its notes, only to a caller who sees both", async () => {
      const source = await books.issued();
      const note = await books.credit(source.id);
      const { id: elsewhere } = await books.tenant.company({ name: "Elsewhere" });
      await ok(books.owner.patch(`/invoicing/invoices/${note.id}`, { reference: null }));
      // No write of the API moves a note to another client any more; rows of earlier versions have been.
      await service.sql.query("update invoices set company_id = $2 where id = $1", [note.id, elsewhere]);
      const [ofNote, ofSource] = [await books.tenant.member("admin"), await books.tenant.member("admin")];
      await books.tenant.group("Elsewhere", [elsewhere], [ofNote.membershipId]);
      await books.tenant.group("Source", [books.company], [ofSource.membershipId]);
      const read = (who: Caller, id: string) => ok(who.get(`/invoicing/invoices/${id}`));
      const printed = async (who: Caller) =>
        (await who.get(`/invoicing/invoices/${note.id}/preview`)).text.includes(source.number as string);
      expect((await read(books.owner, note.id))["credit_for_number"]).to.equal(source.number);
      expect((await read(ofNote, note.id))["credit_for_number"]).to.equal("");
      const changed = await ok(ofNote.patch(`/invoicing/invoices/${note.id}`, { notes: "Seen" }));
      expect(changed["credit_for_number"]).to.equal("");
      expect([await printed(books.owner), await printed(ofNote)]).to.deep.equal([true, false]);
      const issued = await books.issue(note.id);
      const listed = (of: DocumentBody) => of["credit_notes"].map(({ number }: DocumentBody) => number);
      expect(listed(await read(books.owner, source.id))).to.deep.equal([issued.number]);
      expect(listed(await read(ofSource, source.id))).to.deep.equal([]);
      expect([await printed(books.owner), await printed(ofNote)]).to.deep.equal([true, false]);
    });

    it("mirrors its source exactly, and takes nothing off as a draft (worked example 5)", async () => {
      const source = await books.issued(undefined, { reference: "Ours", notes: "n", due_date: "2026-07-01" });
      const note = await books.credit(source.id);
      expect([note.kind, note.status, note.number, note.reference, note.credit_for_id, note.credit_for_number]).to.deep.equal([
        "credit_note",
        "draft",
        null,
        source.number,
        source.id,
        source.number,
      ]);
      expect([note.subtotal, note.tax_total, note.total]).to.deep.equal(["-854.90", "-173.54", "-1028.44"]);
      expect(note.lines.map(({ amount }: DocumentBody) => amount)).to.deep.equal(["-630.00", "-249.95", "75.00", "-49.95"]);
      expect([note.notes, note.due_date, note.issue_date, note.customer]).to.deep.equal([null, null, null, source.customer]);
      expect(await state(source.id)).to.deep.equal(["open", "1028.44"]);
      expect((await books.read(source.id)).credit_notes).to.deep.equal([
        { id: note.id, number: null, status: "draft", total: "-1028.44", applied_total: "0.00" },
      ]);
      expect((await books.trail(source.id)).at(-1)).to.deep.equal(["credited", { credit_id: note.id }]);
    });

    it("settles against an unpaid source, which rests open with nothing due", async () => {
      const source = await books.issued();
      const note = await books.credit(source.id);
      expect(balance(await books.issue(note.id))).to.deep.equal({
        status: "paid",
        paid_total: "0.00",
        credited_total: "0.00",
        applied_total: "1028.44",
        outstanding: "0.00",
      });
      const credited = await books.read(source.id);
      expect(balance(credited)).to.include({ status: "open", credited_total: "1028.44", outstanding: "0.00" });
      expect([credited.credited, credited.fully_credited, credited.overdue]).to.deep.equal([true, true, false]);
      expect(await books.events(source.id)).to.deep.equal(["invoice.created", "invoice.issued", "invoice.credited"]);
      expect(await books.events(note.id)).to.deep.equal(["invoice.created", "invoice.issued"]);
      expect(refused(await post(source.id, "credit"))).to.deep.equal(rule("already_credited"));
      expect(refused(await post(note.id, "credit"))).to.deep.equal(rule("already_credit_note"));
      expect(refused(await post(source.id, "cancel"))).to.deep.equal(rule("has_credit_notes"));
    });

    it("leaves the paid amount to be refunded on the note (worked example 5)", async () => {
      const source = await books.issued();
      await books.pay(source.id, 600);
      const note = await books.credit(source.id);
      const issued = await books.issue(note.id);
      expect(balance(issued)).to.include({ status: "open", applied_total: "428.44", outstanding: "-600.00" });
      expect(balance(await books.read(source.id))).to.include({ status: "paid", paid_total: "600.00", outstanding: "0.00" });
      expect(await books.events(source.id)).to.deep.equal([
        "invoice.created",
        "invoice.issued",
        "invoice.payment_received",
        "invoice.credited",
        "invoice.paid",
      ]);
      expect(await books.pay(note.id, -600)).to.include({ status: "paid", outstanding: "0.00" });
      expect(await books.events(note.id)).to.deep.equal(["invoice.created", "invoice.issued", "invoice.payment_received"]);
      expect(await books.trail(source.id)).to.deep.include(["credit_applied", { credit_id: note.id, amount: "428.44" }]);
    });

    it("of part of an invoice leaves the rest due, in either order (worked example 6)", async () => {
      const source = await books.issued();
      const note = await partly(source.id, [books.line(1, -120)]);
      expect(note.total).to.equal("-145.20");
      await books.issue(note.id);
      expect(balance(await books.read(source.id))).to.include({
        status: "open",
        credited_total: "145.20",
        outstanding: "883.24",
      });
      const paid = await books.pay(source.id, "883.24");
      expect(paid).to.include({ status: "paid", outstanding: "0.00" });
      expect(await ok(unpay(source.id, paid.payments[0].id))).to.include({ status: "open", outstanding: "883.24" });
    });

    it("takes nothing off a source that is paid", async () => {
      const source = await books.issued();
      await books.pay(source.id, "1028.44");
      const note = await books.issue((await books.credit(source.id)).id);
      expect(balance(note)).to.include({ status: "open", applied_total: "0.00", outstanding: "-1028.44" });
      expect(await state(source.id)).to.deep.equal(["paid", "0.00"]);
      expect((await books.trail(source.id)).map(([action]) => action)).to.not.include("credit_applied");
    });

    it("is not issued when its source is covered or cancelled meanwhile", async () => {
      const source = await books.issued();
      const [one, two] = [await books.credit(source.id), await books.credit(source.id)];
      await books.issue(one.id);
      expect(refused(await post(two.id, "issue", {}))).to.deep.equal(rule("already_credited"));
      await ok(post(one.id, "cancel"));
      await ok(post(source.id, "cancel"));
      expect(refused(await post(two.id, "issue", {}))).to.deep.equal(rule("wrong_status"));
      expect(await state(two.id)).to.deep.equal(["draft", "-1028.44"]);
    });

    it("gives back no more than its source asked for, alone or with others, and asks for nothing", async () => {
      const source = await books.issued([books.line(1, 100)]);
      const exceeds = rule("credit_exceeds");
      const note = async (price: string, more: object = {}) => {
        const { id } = await books.credit(source.id);
        await ok(books.owner.patch(`/invoicing/invoices/${id}`, { lines: [books.line(1, price)], ...more }));
        return id;
      };
      const issue = (id: string) => post(id, "issue", {});
      expect(refused(await issue(await note("-100.01")))).to.deep.equal(exceeds);
      expect(refused(await issue(await note("5")))).to.deep.equal(exceeds);
      expect(refused(await issue(await note("-10", { currency: "USD" })))).to.deep.equal(exceeds);
      const [one, two] = [await note("-60"), await note("-40.01")];
      await books.issue(one);
      expect(refused(await issue(two))).to.deep.equal(exceeds);
      const rest = await note("-40");
      expect((await books.issue(rest)).number, "no number was used").to.match(/-0003$/);
      expect((await books.read(source.id)).credited_total).to.equal("121.00");
    });

    it("gives back no less than nothing of a source below zero", async () => {
      const source = await books.issued([books.line(1, -100)]);
      const { id } = await books.credit(source.id);
      await ok(books.owner.patch(`/invoicing/invoices/${id}`, { lines: [books.line(1, "100.01")] }));
      expect(refused(await post(id, "issue", {}))).to.deep.equal(rule("credit_exceeds"));
      await ok(books.owner.patch(`/invoicing/invoices/${id}`, { lines: [books.line(1, "100")] }));
      expect((await books.issue(id)).status).to.equal("open");
    });

    it("returns its applied amount when cancelled, so that a paid source is open again", async () => {
      const source = await books.issued();
      await books.pay(source.id, 600);
      const note = await partly(source.id, [books.line(1, "-354.08")]);
      expect(await books.issue(note.id)).to.include({ status: "paid", applied_total: "428.44" });
      expect(await state(source.id)).to.deep.equal(["paid", "0.00"]);
      const cancelled = await ok(post(note.id, "cancel"));
      expect(balance(cancelled)).to.include({ status: "cancelled", applied_total: "0.00" });
      const reopened = await books.read(source.id);
      expect(balance(reopened)).to.include({ status: "open", credited_total: "0.00", outstanding: "428.44" });
      expect(reopened.credit_notes).to.deep.equal([]);
    });

    it("that was refunded is not cancelled", async () => {
      const source = await books.issued();
      await books.pay(source.id, "1028.44");
      const note = await books.issue((await books.credit(source.id)).id);
      await books.pay(note.id, "-1028.44");
      expect(refused(await post(note.id, "cancel"))).to.deep.equal(rule("has_payments"));
    });

    it("written by hand simply opens, and is paid by a refund", async () => {
      const note = await books.issued([books.line(1, -100)], { kind: "credit_note" });
      expect(balance(note)).to.include({ status: "open", outstanding: "-121.00" });
      expect(await books.pay(note.id, -121)).to.include({ status: "paid" });
      expect(refused(await post(note.id, "credit"))).to.deep.equal(rule("already_credit_note"));
    });

    it("of everything releases the hours of its source, which then holds the note; of part it releases nothing", async () => {
      const hour = await books.hour();
      const source = await books.issued([books.line(1, 100, "21", { line_kind: "hours", time_entry_ids: [hour] })]);
      const part = await books.issue((await partly(source.id, [books.line(1, -40)])).id);
      expect(await books.stamped([hour])).to.deep.equal([true]);
      const rest = await books.issue((await partly(source.id, [books.line(1, -60)])).id);
      expect(await books.stamped([hour])).to.deep.equal([false]);
      expect((await books.trail(source.id)).map(([action]) => action)).to.include("work_released");
      for (const { id } of [part, rest]) expect(refused(await post(id, "cancel"))).to.deep.equal(rule("credit_released_work"));
      const again = await ok(books.owner.post("/invoicing/invoices/from-time", { company_id: books.company }));
      expect(again.lines[0].time_entry_ids).to.deep.equal([hour]);
    });

    it("changes the tag of its source while it is a draft, which lists it", async () => {
      const source = await books.issued();
      const tag = async () => (await books.owner.get(`/invoicing/invoices/${source.id}`)).headers["etag"];
      const tags = [await tag()];
      const note = await partly(source.id, [books.line(1, -1)]);
      tags.push(await tag());
      await ok(books.owner.delete(`/invoicing/invoices/${note.id}`));
      tags.push(await tag());
      expect(new Set(tags)).to.have.property("size", 3);
      expect((await books.read(source.id)).credit_notes).to.deep.equal([]);
    });
  });
});
