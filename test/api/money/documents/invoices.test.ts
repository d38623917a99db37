import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const NOT_FOUND = [404, "errors.not_found"];
const YEAR = new Date().getFullYear();
const DAY = 86_400_000;
const day = (from: number) => new Date(Date.now() + from * DAY).toISOString().slice(0, 10);

describe("invoices", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const create = (body: object) => books.owner.post("/invoicing/invoices", { company_id: books.company, ...body });
  const patch = (id: string, body: object) => books.owner.patch(`/invoicing/invoices/${id}`, body);
  const totals = ({ subtotal, tax_total, total }: DocumentBody) => [subtotal, tax_total, total];
  const listed = async (query: string, caller: Caller = books.owner): Promise<string[]> =>
    (await ok(caller.get(`/invoicing/invoices?${query}`))).items.map(({ id }: DocumentBody) => id);

  describe("as drafts", () => {
    it("are computed from their lines, with one rounding for each tax group", async () => {
      const draft = await books.draft();
      expect(totals(draft)).to.deep.equal(["854.90", "173.54", "1028.44"]);
      expect(draft.tax_groups).to.deep.equal([
        { name: "21 nl", rate_pct: "21.00", category: "standard", base: "804.95", tax: "169.04" },
        { name: "9 nl", rate_pct: "9.00", category: "reduced", base: "49.95", tax: "4.50" },
      ]);
      expect(draft.lines.map((line: DocumentBody) => [line.position, line.quantity, line.unit_price, line.amount])).to.deep.equal(
        [
          [0, "7.50", "84.00", "630.00"],
          [1, "1.00", "249.95", "249.95"],
          [2, "1.00", "-75.00", "-75.00"],
          [3, "3.00", "16.65", "49.95"],
        ],
      );
      expect([draft.status, draft.kind, draft.number, draft.outstanding]).to.deep.equal(["draft", "invoice", null, "1028.44"]);
      expect(await books.trail(draft.id)).to.deep.equal([["created", {}]]);
    });

    it("keep quantities and prices as they were sent, and round the amount alone, half away from zero", async () => {
      const draft = await books.draft([books.line("1.005", "-0.105"), books.line(1, 0.105), books.line("10000", "0.0025")]);
      expect(draft.lines.map((line: DocumentBody) => [line.quantity, line.unit_price, line.amount])).to.deep.equal([
        ["1.005", "-0.105", "-0.11"],
        ["1.00", "0.105", "0.11"],
        ["10000.00", "0.0025", "25.00"],
      ]);
    });

    it("have the current names of client and contact as bill-to party", async () => {
      const company = await tenant.company({
        name: "Vela",
        legal_name: "Vela Works B.V.",
        address_line1: "Kade",
        house_number: "12",
        city: "Utrecht",
        country: "NL",
        invoice_email: "books@vela.test",
      });
      const contact = await ok(books.owner.post("/contacts", { first_name: "Ada", last_name: "Bos", email: "ada@vela.test" }));
      const draft = await ok(create({ company_id: company.id, contact_id: contact.id }));
      expect(draft.company_name).to.equal("Vela");
      expect(draft.customer).to.deep.equal({
        name: "Vela Works B.V.",
        trade_name: "Vela",
        address_line1: "Kade 12",
        address_line2: null,
        postal_code: null,
        city: "Utrecht",
        country: "NL",
        vat_number: null,
        coc_number: null,
        client_number: "0002",
        email: "ada@vela.test",
        attn: "Ada Bos",
      });
      const cleared = await ok(patch(draft.id, { contact_id: null }));
      expect([cleared.contact_id, cleared.customer.attn, cleared.customer.email]).to.deep.equal([
        null,
        "Ada Bos",
        "ada@vela.test",
      ]);
      const mute = await ok(books.owner.post("/contacts", { first_name: "Bo" }));
      const handed = await ok(patch(draft.id, { contact_id: mute.id }));
      expect([handed.customer.attn, handed.customer.email]).to.deep.equal(["Bo", "ada@vela.test"]);
    });

    it("refuse another organisation's records, and an unknown client", async () => {
      const other = await service.tenant();
      const theirs = await Invoicing.open(service, other);
      const contact = await ok(other.owner.post("/contacts", { first_name: "Ada" }));
      expect(refused(await create({ company_id: theirs.company }))).to.deep.equal(NOT_FOUND);
      expect(refused(await create({ company_id: randomUUID() }))).to.deep.equal(NOT_FOUND);
      const missing = (field: string) => [400, "errors.validation", { [field]: "errors.not_found" }];
      expect(refused(await create({ contact_id: contact.id }))).to.deep.equal(missing("contact_id"));
      expect(refused(await create({ template_id: randomUUID() }))).to.deep.equal(missing("template_id"));
      const line = { ...books.line(1, 1), tax_rate_id: theirs.rates["21"] };
      expect(refused(await create({ lines: [line] }))).to.deep.equal(missing("lines"));
      const draft = await books.draft();
      for (const [field, body] of [
        ["contact_id", { contact_id: contact.id }],
        ["template_id", { template_id: randomUUID() }],
        ["lines", { lines: [line] }],
      ] as const)
        expect(refused(await patch(draft.id, body))).to.deep.equal(missing(field));
      expect(await listed("")).to.deep.equal([draft.id]);
      expect((await books.read(draft.id)).lines).to.deep.equal(draft.lines);
    });

    it("refuse shapes and sizes with 422 on the field", async () => {
      const unfit = (field: string, message = "errors.validation") => [422, "errors.validation", { [field]: message }];
      for (const [body, wanted] of [
        [{ currency: "XXX" }, unfit("currency", "errors.invoicing.invalid_currency")],
        [{ currency: "EURO" }, unfit("currency")],
        [{ exchange_rate: 0 }, unfit("exchange_rate")],
        [{ exchange_rate: "0.0000001" }, unfit("exchange_rate")],
        [{ reference: "x".repeat(121) }, unfit("reference")],
        [{ locale: "no language" }, unfit("locale")],
        [{ locale: "xx" }, unfit("locale")],
        [{ locale: "nl-XX" }, unfit("locale")],
        [{ locale: "nl-abcdef" }, unfit("locale")],
        [{ lines: [books.line("100000000", 1)] }, unfit("quantity")],
        [{ lines: [books.line("1.00005", 1)] }, unfit("quantity")],
        [{ lines: [books.line(1, "0.00001")] }, unfit("unit_price")],
        [{ exchange_rate: "0.9200005" }, unfit("exchange_rate")],
        [{ currency: "KWD" }, unfit("currency", "errors.invoicing.invalid_currency")],
        [{ lines: [books.line(1, "-10000000000")] }, unfit("unit_price")],
        [{ lines: [books.line("99999999", "9999999")] }, unfit("lines")],
        [{ lines: Array.from({ length: 201 }, () => books.line(1, 1)) }, unfit("lines")],
        [{ lines: [{ description: "   " }] }, unfit("description")],
        [{ lines: [{ description: "a", line_kind: "other" }] }, unfit("line_kind")],
      ] as const)
        expect(refused(await create(body)), JSON.stringify(body).slice(0, 80)).to.deep.equal(wanted);
      const draft = await books.draft();
      for (const field of ["currency", "locale", "lines", "prices_include_tax", "reminders_paused"])
        expect(refused(await patch(draft.id, { [field]: null }))).to.deep.equal(unfit(field));
      expect(totals(await ok(create({ lines: Array.from({ length: 200 }, () => books.line(1, 1)) })))).to.deep.equal([
        "200.00",
        "42.00",
        "242.00",
      ]);
    });

    it("keep currencies in upper case, rates with six decimals, and markdown without HTML", async () => {
      const draft = await ok(
        create({
          currency: "usd",
          exchange_rate: "0.920001",
          notes: "a <script>x</script>**b**",
          intro: "<b>c</b>",
          reference: " ",
        }),
      );
      const { currency, exchange_rate, notes, intro, reference } = draft;
      expect([currency, exchange_rate, notes, intro, reference]).to.deep.equal(["USD", "0.920001", "a **b**", "c", null]);
    });

    it("freeze the tax of a line when it is written, in the document's language", async () => {
      const draft = await books.draft([books.line(1, 100)], { locale: "nl" });
      await service.sql.query("update tax_rates set rate = 25 where id = $1", [books.rates["21"]]);
      expect((await books.read(draft.id)).lines[0]).to.include({ tax_rate_pct: "21.00", tax_name: "21 nl" });
      const [line] = (await ok(patch(draft.id, { lines: [books.line(1, 100)] }))).lines;
      expect(line).to.include({ tax_rate_pct: "25.00", tax_category: "standard" });
      await service.sql.query("delete from tax_rates where id = $1", [books.rates["21"]]);
      expect((await books.read(draft.id)).lines[0]).to.include({ tax_rate_id: null, tax_rate_pct: "25.00", tax_name: "21 nl" });
    });

    it("recompute when prices begin to include tax, and replace lines as a whole", async () => {
      const draft = await books.draft([books.line(1, "119.99"), books.line(2, "8.47", "9")]);
      expect(totals(draft)).to.deep.equal(["136.93", "26.72", "163.65"]);
      const inclusive = await ok(patch(draft.id, { prices_include_tax: true }));
      expect(totals(inclusive)).to.deep.equal(["114.71", "22.22", "136.93"]);
      expect(inclusive.lines).to.deep.equal(draft.lines);
      const replaced = await ok(patch(draft.id, { lines: [books.line(1, 121)] }));
      expect(totals(replaced)).to.deep.equal(["100.00", "21.00", "121.00"]);
      expect(replaced.lines).to.have.length(1);
      const [, { changes }] = (await books.trail(draft.id)).at(-1) as [string, { changes: object }];
      expect(changes).to.deep.equal({
        subtotal: { from: "114.71", to: "100.00" },
        total: { from: "136.93", to: "121.00" },
      });
    });

    it("leave no trace of a change that changes nothing", async () => {
      const draft = await books.draft();
      const { headers } = await books.owner.get(`/invoicing/invoices/${draft.id}`);
      await ok(patch(draft.id, { reference: "", exchange_rate: null, currency: "eur", kind: "credit_note" }));
      const again = await books.owner.get(`/invoicing/invoices/${draft.id}`);
      expect(again.headers["etag"]).to.equal(headers["etag"]);
      expect(again.body.kind).to.equal("invoice");
      expect(await books.trail(draft.id)).to.have.length(1);
    });

    it("go by deletion, which issued ones do not", async () => {
      const draft = await books.draft();
      expect((await books.owner.delete(`/invoicing/invoices/${draft.id}`)).status).to.equal(204);
      expect(refused(await books.owner.get(`/invoicing/invoices/${draft.id}`))).to.deep.equal(NOT_FOUND);
      const issued = await books.issued();
      expect(refused(await books.owner.delete(`/invoicing/invoices/${issued.id}`))).to.deep.equal(rule("not_draft"));
    });
  });

  describe("at issue", () => {
    it("get number, dates, an address and the bill-to party as it is then", async () => {
      const draft = await books.draft();
      await books.owner.patch(`/companies/${books.company}`, {
        legal_name: "Aster Holding B.V.",
        invoice_email: "new@aster.test",
      });
      const issued = await books.issue(draft.id);
      const today = day(0);
      expect([issued.status, issued.number]).to.deep.equal(["open", `${YEAR}-0001`]);
      expect([issued.customer.name, issued.customer.email]).to.deep.equal(["Aster Holding B.V.", "new@aster.test"]);
      expect([issued.issue_date >= day(-1), issued.issue_date <= day(1), issued.due_date >= day(13)], today).to.deep.equal([
        true,
        true,
        true,
      ]);
      expect(issued.public_url).to.match(new RegExp(`^http://${tenant.host}(:\\d+)?/invoice/[A-Za-z0-9_-]{43}$`));
      expect(await books.events(draft.id)).to.deep.equal(["invoice.created", "invoice.issued"]);
      expect((await books.trail(draft.id)).at(-1)).to.deep.equal(["issued", { number: issued.number }]);
      await books.owner.patch(`/companies/${books.company}`, { legal_name: "Aster Groep B.V." });
      expect((await books.read(draft.id)).customer.name).to.equal("Aster Holding B.V.");
    });

    it("take the dates of the body before those of the draft", async () => {
      const own = await books.issued(undefined, { issue_date: "2026-02-01", due_date: "2026-02-20" });
      expect([own.issue_date, own.due_date]).to.deep.equal(["2026-02-01", "2026-02-20"]);
      const draft = await books.draft(undefined, { due_date: "2026-02-20" });
      const sent = await books.issue(draft.id, { issue_date: "2026-03-01", due_date: "2026-03-02" });
      expect([sent.issue_date, sent.due_date]).to.deep.equal(["2026-03-01", "2026-03-02"]);
      const counted = await books.issue((await books.draft()).id, { issue_date: "2026-03-01" });
      expect(counted.due_date).to.equal("2026-03-15");
    });

    it("are refused without lines, without a seller and a second time; no number is used", async () => {
      const empty = await books.draft([]);
      const issue = (id: string) => books.owner.post(`/invoicing/invoices/${id}/issue`, {});
      expect(refused(await issue(empty.id))).to.deep.equal(rule("no_lines", 400));
      const draft = await books.draft();
      await ok(books.owner.put("/invoicing/settings", { company_details: { name: "" } }));
      expect(refused(await issue(draft.id))).to.deep.equal(rule("seller_incomplete", 400));
      await ok(books.owner.put("/invoicing/settings", { company_details: { name: "Vela" } }));
      expect((await ok(issue(draft.id))).number).to.equal(`${YEAR}-0001`);
      expect(refused(await issue(draft.id))).to.deep.equal(rule("wrong_status"));
      expect((await books.issued()).number).to.equal(`${YEAR}-0002`);
    });

    it("need the mandatory custom fields left empty, as a draft by hand has; credit notes have none", async () => {
      const early = await books.draft();
      const order = { entity_type: "invoice", key: "order", label_i18n: { en: "Order" }, data_type: "text", required: true };
      await ok(books.owner.post("/custom-fields/definitions", order));
      const body = { company_id: books.company, lines: books.mixed() };
      const missing = [422, "errors.validation", { order: "errors.required" }];
      for (const custom of [undefined, null, {}, { order: " " }])
        expect(refused(await books.owner.post("/invoicing/invoices", { ...body, custom }))).to.deep.equal(missing);
      expect(refused(await books.owner.post(`/invoicing/invoices/${early.id}/issue`, {}))).to.deep.equal(missing);
      const quote = await ok(books.owner.post("/invoicing/quotes", body));
      await ok(books.owner.post(`/invoicing/quotes/${quote.id}/issue`, {}));
      await ok(books.owner.post(`/invoicing/quotes/${quote.id}/accept`, {}));
      const converted = await ok(books.owner.post(`/invoicing/quotes/${quote.id}/convert`));
      expect(refused(await books.owner.post(`/invoicing/invoices/${converted.id}/issue`, {}))).to.deep.equal(missing);
      const first = await books.issued(undefined, { custom: { order: "PO 7" } });
      await ok(books.owner.patch(`/invoicing/invoices/${converted.id}`, { custom: { order: "PO 8" } }));
      const second = await books.issue(converted.id);
      const seq = ({ number }: { number: string }) => Number(number.split("-")[1]);
      expect(seq(second) - seq(first), "no number was used").to.equal(1);
      expect((await books.issue((await books.credit(first.id)).id)).kind).to.equal("credit_note");
    });

    it("walk a rewound counter past the numbers there are, and continue from a raised one", async () => {
      const one = await books.issued();
      const two = await books.issued();
      await ok(books.owner.put("/invoicing/settings", { invoice_next_seq: 1 }));
      const three = await books.issued();
      await ok(books.owner.put("/invoicing/settings", { invoice_next_seq: 88, invoice_number_format: "F{yy}{seq:5}" }));
      const four = await books.issued();
      expect([one, two, three, four].map(({ number }) => number)).to.deep.equal([
        `${YEAR}-0001`,
        `${YEAR}-0002`,
        `${YEAR}-0003`,
        `F${String(YEAR).slice(2)}00088`,
      ]);
    });

    it("begin at 1 with a new year, but for sequences that run on", async () => {
      await books.issued();
      const lastYear = (next: number) =>
        service.sql.query(
          "update invoicing_settings set invoice_next_seq = $2, invoice_seq_year = $3, version = version + 1 where organisation_id = $1",
          [tenant.organisation.id, next, YEAR - 1],
        );
      await ok(books.owner.put("/invoicing/settings", { number_reset_yearly: false }));
      await lastYear(413);
      expect((await books.issued()).number).to.equal(`${YEAR}-0413`);
      await ok(books.owner.put("/invoicing/settings", { number_reset_yearly: true }));
      await lastYear(500);
      expect((await books.issued()).number).to.equal(`${YEAR}-0002`);
    });

    it("issue no number when a thousand in a row are in use, and use none up", async () => {
      const { id } = await books.draft();
      await service.sql.query(
        `insert into invoices (id, organisation_id, company_id, number, currency, locale, status)
         select gen_random_uuid(), $1, $2, $3 || '-' || lpad(n::text, 4, '0'), 'EUR', 'nl', 'open' from generate_series(1, 1000) n`,
        [tenant.organisation.id, books.company, String(YEAR)],
      );
      expect(refused(await books.owner.post(`/invoicing/invoices/${id}/issue`, {}))).to.deep.equal(rule("number_exhausted"));
      await ok(books.owner.put("/invoicing/settings", { invoice_next_seq: 2 }));
      expect((await books.issue(id)).number).to.equal(`${YEAR}-1001`);
    });

    it("fix everything but a few fields; another key refuses the whole call", async () => {
      const issued = await books.issued();
      for (const body of [{ lines: [] }, { currency: "EUR" }, { issue_date: "2026-01-01" }, { prices_include_tax: false }])
        expect(refused(await patch(issued.id, { reference: "New", ...body }))).to.deep.equal(rule("locked"));
      expect((await books.read(issued.id)).reference).to.equal(null);
      const changed = await ok(
        patch(issued.id, {
          reference: "New",
          intro: "a",
          notes: "b",
          locale: "de",
          due_date: "2027-01-01",
          delivery_date: "2026-01-01",
          reminders_paused: true,
          exchange_rate: "1.5",
          template_id: null,
          contact_id: null,
          custom: {},
        }),
      );
      expect([changed.reference, changed.due_date, changed.reminders_paused]).to.deep.equal(["New", "2027-01-01", true]);
      expect(totals(changed)).to.deep.equal(totals(issued));
    });

    it("can be cancelled while open, keep their number, and cannot be credited then", async () => {
      const draft = await books.draft();
      const cancel = (id: string) => books.owner.post(`/invoicing/invoices/${id}/cancel`);
      expect(refused(await cancel(draft.id))).to.deep.equal(rule("wrong_status"));
      const { number } = await books.issue(draft.id);
      const cancelled = await ok(cancel(draft.id));
      expect([cancelled.status, cancelled.number]).to.deep.equal(["cancelled", number]);
      expect(cancelled.cancelled_at).to.be.a("string");
      expect(refused(await cancel(draft.id))).to.deep.equal(rule("wrong_status"));
      expect(refused(await books.owner.post(`/invoicing/invoices/${draft.id}/credit`))).to.deep.equal(rule("wrong_status"));
      expect((await books.trail(draft.id)).at(-1)).to.deep.equal(["cancelled", {}]);
    });
  });

  describe("in lists", () => {
    it("are found by state, kind, client, lateness, number and reference, newest first", async () => {
      const other = await tenant.company({ name: "Other" });
      const draft = await books.draft([books.line(1, 1)], { reference: "Groene ORDER" });
      const late = await books.issued(undefined, { issue_date: "2026-01-01", due_date: day(-3) });
      const due = await books.issued(undefined, { due_date: day(3), company_id: other.id });
      const note = await books.credit(late.id);
      expect(await listed("")).to.deep.equal([note.id, due.id, late.id, draft.id]);
      expect(await listed("status=draft")).to.deep.equal([note.id, draft.id]);
      expect(await listed("status=nothing")).to.deep.equal([]);
      expect(await listed("kind=credit_note")).to.deep.equal([note.id]);
      expect(await listed(`company_id=${other.id}`)).to.deep.equal([due.id]);
      expect(await listed("overdue=true")).to.deep.equal([late.id]);
      expect(await listed("q=%20groene%20order%20")).to.deep.equal([draft.id]);
      expect(await listed(`q=${YEAR}-0001`)).to.deep.equal([note.id, late.id]);
      expect(await listed("sort=total&limit=2")).to.deep.equal([note.id, draft.id]);
      const { items } = await ok(books.owner.get("/invoicing/invoices?sort=created_at"));
      expect(items.map((one: DocumentBody) => one.overdue)).to.deep.equal([false, true, false, false]);
      expect((await books.owner.get("/invoicing/invoices?limit=201")).status).to.equal(422);
    });

    it("leave lines and tax groups out when asked, and what only single documents show in any case", async () => {
      const issued = await books.issued();
      await books.pay(issued.id, 10);
      const [whole] = (await ok(books.owner.get("/invoicing/invoices"))).items;
      const [bare] = (await ok(books.owner.get("/invoicing/invoices?lines=false"))).items;
      expect(bare).to.deep.equal({ ...whole, lines: [], tax_groups: [] });
      expect([whole.lines.length, whole.tax_groups.length]).to.deep.equal([4, 2]);
      expect([whole.payments, whole.public_url]).to.deep.equal([[], ""]);
      const one = await books.read(issued.id);
      const single = { payments: [], public_url: "", e_invoice: null, peppol: null, unrated_minutes: null };
      expect({ ...one, ...single }).to.deep.equal(whole);
      expect(one.payments).to.have.length(1);
    });
  });

  describe("as others see them", () => {
    it("are those of a restricted member's clients, drafts included; it creates none for others", async () => {
      const seen = await tenant.company({ name: "Seen" });
      const admin = await tenant.member("admin");
      await tenant.group("Some", [seen.id], [admin.membershipId]);
      const hidden = await books.issued();
      const draft = await books.draft(undefined, { company_id: seen.id });
      expect(await listed("", admin)).to.deep.equal([draft.id]);
      expect(refused(await admin.get(`/invoicing/invoices/${hidden.id}`))).to.deep.equal(NOT_FOUND);
      expect(refused(await admin.patch(`/invoicing/invoices/${hidden.id}`, { reference: "x" }))).to.deep.equal(NOT_FOUND);
      expect(refused(await admin.post(`/invoicing/invoices/${hidden.id}/cancel`))).to.deep.equal(NOT_FOUND);
      expect(
        refused(await admin.post(`/invoicing/invoices/${hidden.id}/payments`, { paid_on: "2026-01-01", amount: 1 })),
      ).to.deep.equal(NOT_FOUND);
      expect(refused(await admin.post("/invoicing/invoices", { company_id: books.company }))).to.deep.equal(NOT_FOUND);
      expect((await admin.post("/invoicing/invoices", { company_id: seen.id })).status).to.equal(201);
    });

    it("are the issued ones of a client login's own clients, without a public address; quotes are 403", async () => {
      const client = await tenant.member("client");
      await tenant.group("Clients", [books.company], [client.membershipId]);
      const draft = await books.draft();
      const issued = await books.issued();
      const note = await books.credit(issued.id);
      const elsewhere = await books.issued(undefined, { company_id: (await tenant.company({ name: "Other" })).id });
      expect(await listed("", client)).to.deep.equal([issued.id]);
      expect((await ok(client.get("/invoicing/invoices"))).total).to.equal(1);
      expect(await listed("status=draft", client)).to.deep.equal([]);
      for (const { id } of [draft, note, elsewhere])
        expect(refused(await client.get(`/invoicing/invoices/${id}`))).to.deep.equal(NOT_FOUND);
      const shown = await books.read(issued.id, client);
      expect([shown.public_url, shown.credit_notes]).to.deep.equal(["", []]);
      expect((await books.read(issued.id)).credit_notes.map(({ id }: DocumentBody) => id)).to.deep.equal([note.id]);
      await books.issue(note.id);
      expect((await books.read(issued.id, client)).credit_notes.map(({ id }: DocumentBody) => id)).to.deep.equal([note.id]);
      expect((await client.get("/invoicing/quotes")).status).to.equal(403);
      expect((await client.post("/invoicing/invoices", { company_id: books.company })).status).to.equal(403);
      expect(await ok(client.get(`/activity?entity_type=invoice&entity_id=${issued.id}`))).to.deep.equal([]);
    });

    it("of another organisation are inaccessible", async () => {
      const issued = await books.issued();
      const { owner } = await service.tenant();
      for (const answer of [
        await owner.get(`/invoicing/invoices/${issued.id}`),
        await owner.patch(`/invoicing/invoices/${issued.id}`, { reference: "x" }),
        await owner.delete(`/invoicing/invoices/${issued.id}`),
        await owner.post(`/invoicing/invoices/${issued.id}/issue`, {}),
        await owner.post(`/invoicing/invoices/${issued.id}/credit`),
      ])
        expect(refused(answer)).to.deep.equal(NOT_FOUND);
    });
  });

  describe("and the client they are for", () => {
    it("stays while one is issued, and takes drafts and quotes with it otherwise", async () => {
      const hour = await books.hour();
      const draft = await books.draft([books.line(1, 1, "21", { line_kind: "hours", time_entry_ids: [hour] })]);
      const quote = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: [books.line(1, 1)] }));
      expect(await books.stamped([hour])).to.deep.equal([true]);
      const issued = await books.issued();
      const gone = () => books.owner.delete(`/companies/${books.company}`);
      expect(refused(await gone())).to.deep.equal([409, "errors.companies.has_issued_invoices"]);
      expect(await books.stamped([hour])).to.deep.equal([true]);
      await ok(books.owner.post(`/invoicing/invoices/${issued.id}/cancel`));
      expect(refused(await gone())).to.deep.equal([409, "errors.companies.has_issued_invoices"]);
      await service.sql.query("delete from invoices where id = $1", [issued.id]);
      expect((await gone()).status).to.equal(204);
      expect(await books.stamped([hour])).to.deep.equal([false]);
      expect((await books.owner.get(`/invoicing/invoices/${draft.id}`)).status).to.equal(404);
      expect((await books.owner.get(`/invoicing/quotes/${quote.id}`)).status).to.equal(404);
    });
  });
});
