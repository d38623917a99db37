import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const YEAR = new Date().getFullYear();

describe("quotes", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const create = (body: object = {}): Promise<DocumentBody> =>
    ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed(), ...body }));
  const post = (id: string, act: string, body: object = {}) => books.owner.post(`/invoicing/quotes/${id}/${act}`, body);
  const patch = (id: string, body: object) => books.owner.patch(`/invoicing/quotes/${id}`, body);
  const issued = async (body: object = {}): Promise<DocumentBody> => ok(post((await create(body)).id, "issue"));
  const expired = async () => {
    const quote = await issued();
    await service.sql.query("update quotes set status = 'expired' where id = $1", [quote.id]);
    return quote;
  };

  it("are drafted, changed and issued with numbers of their own", async () => {
    const draft = await create({ reference: "Plan", prices_include_tax: true });
    expect([draft.status, draft.number, draft.valid_until, draft.total]).to.deep.equal(["draft", null, null, "854.90"]);
    const changed = await ok(patch(draft.id, { prices_include_tax: false, lines: draft.lines, reference: "Plan 2" }));
    expect([changed.total, changed.reference]).to.deep.equal(["1028.44", "Plan 2"]);
    await books.issued();
    const open = await ok(post(draft.id, "issue", { issue_date: "2026-03-01" }));
    expect([open.status, open.number, open.valid_until]).to.deep.equal(["open", `Q${YEAR}-0001`, "2026-03-31"]);
    expect((await ok(post((await create()).id, "issue", { due_date: "2026-12-24" }))).valid_until).to.equal("2026-12-24");
    expect((await books.trail(draft.id, "quote")).map(([action]) => action)).to.deep.equal(["created", "updated", "issued"]);
    const { items } = await ok(books.owner.get("/invoicing/quotes?sort=number&lines=false&q=plan"));
    expect(items).to.deep.equal([{ ...open, lines: [], tax_groups: [], public_url: "" }]);
  });

  it("show the address of their page once issued, while links are on", async () => {
    const draft = await create();
    expect(draft.public_url).to.equal("");
    const { public_url: address } = await ok(post(draft.id, "issue"));
    const { rows } = await service.sql.query("select public_token from quotes where id = $1", [draft.id]);
    expect(address).to.match(new RegExp(`^http://${books.tenant.host}(:\\d+)?/quote/${rows[0].public_token}$`));
    const read = async () => (await ok(books.owner.get(`/invoicing/quotes/${draft.id}`))).public_url;
    expect(await read()).to.equal(address);
    await ok(books.owner.put("/invoicing/settings", { public_invoice_links: false }));
    expect(await read()).to.equal("");
  });

  it("are refused at issue as invoices are, and a second time", async () => {
    expect(refused(await post((await create({ lines: [] })).id, "issue"))).to.deep.equal(rule("no_lines", 400));
    const { id } = await issued();
    expect(refused(await post(id, "issue"))).to.deep.equal(rule("wrong_status"));
    expect(refused(await books.owner.post("/invoicing/quotes", { company_id: randomUUID() }))).to.deep.equal([
      404,
      "errors.not_found",
    ]);
  });

  it("fix everything but a few fields while open, and all of them afterwards", async () => {
    const { id } = await issued();
    for (const body of [{ lines: [] }, { currency: "EUR" }, { issue_date: "2026-01-01" }])
      expect(refused(await patch(id, { reference: "New", ...body }))).to.deep.equal(rule("locked"));
    const changed = await ok(patch(id, { reference: "New", valid_until: "2020-01-01" }));
    expect([changed.status, changed.expired, changed.reference]).to.deep.equal(["open", true, "New"]);
    await ok(post(id, "accept"));
    expect(refused(await patch(id, { reference: "x" }))).to.deep.equal(rule("wrong_status"));
    expect(refused(await patch(id, { lines: [] }))).to.deep.equal(rule("wrong_status"));
  });

  it("are accepted or rejected while open or expired, with a note", async () => {
    const accepted = await ok(post((await issued()).id, "accept", { note: " Gladly " }));
    expect([accepted.status, accepted.decision_note]).to.deep.equal(["accepted", "Gladly"]);
    expect(accepted.decided_at).to.be.a("string");
    expect((await books.trail(accepted.id, "quote")).at(-1)).to.deep.equal(["accepted", { note: "Gladly" }]);
    const late = await expired();
    expect((await ok(post(late.id, "reject", { note: null }))).status).to.equal("rejected");
    expect((await ok(post((await expired()).id, "accept"))).status).to.equal("accepted");
    const draft = await create();
    for (const id of [draft.id, accepted.id, late.id])
      for (const act of ["accept", "reject"]) expect(refused(await post(id, act))).to.deep.equal(rule("wrong_status"));
  });

  it("go by deletion as drafts, rejected or expired", async () => {
    const remove = (id: string) => books.owner.delete(`/invoicing/quotes/${id}`);
    const open = await issued();
    expect(refused(await remove(open.id))).to.deep.equal(rule("wrong_status"));
    await ok(post(open.id, "reject"));
    for (const id of [open.id, (await create()).id, (await expired()).id]) expect((await remove(id)).status).to.equal(204);
    const accepted = await issued();
    await ok(post(accepted.id, "accept"));
    expect(refused(await remove(accepted.id))).to.deep.equal(rule("wrong_status"));
    expect((await ok(books.owner.get("/invoicing/quotes"))).items.map(({ id }: DocumentBody) => id)).to.deep.equal([accepted.id]);
  });

  it("become a draft invoice with the prices and the tax they were accepted at", async () => {
    const quote = await issued({
      reference: "Plan",
      intro: "i",
      notes: "n",
      currency: "USD",
      exchange_rate: "0.92",
      locale: "en",
    });
    expect(refused(await post(quote.id, "convert"))).to.deep.equal(rule("wrong_status"));
    await ok(post(quote.id, "accept"));
    await service.sql.query("update tax_rates set rate = 30 where organisation_id = $1", [tenant.organisation.id]);
    const { status, body: invoice } = await post(quote.id, "convert");
    expect([status, invoice.status, invoice.quote_id, invoice.total]).to.deep.equal([201, "draft", quote.id, "1028.44"]);
    for (const field of ["reference", "intro", "notes", "currency", "exchange_rate", "locale", "customer", "tax_groups"])
      expect(invoice[field], field).to.deep.equal(quote[field]);
    const without = ({ id: _, ...line }: DocumentBody) => line;
    expect(invoice.lines.map(without)).to.deep.equal(quote.lines.map(without));
    const invoiced = await ok(books.owner.get(`/invoicing/quotes/${quote.id}`));
    expect([invoiced.status, invoiced.invoice_id]).to.deep.equal(["invoiced", invoice.id]);
    expect((await books.trail(quote.id, "quote")).at(-1)).to.deep.equal(["converted", { invoice_id: invoice.id }]);
    expect(refused(await post(quote.id, "convert"))).to.deep.equal(rule("wrong_status"));
  });

  it("are accepted again when the draft they became is deleted, and stay invoiced when it is cancelled", async () => {
    const quote = await issued();
    await ok(post(quote.id, "accept"));
    const first = await ok(post(quote.id, "convert"));
    expect((await books.owner.delete(`/invoicing/invoices/${first.id}`)).status).to.equal(204);
    const again = await ok(books.owner.get(`/invoicing/quotes/${quote.id}`));
    expect([again.status, again.invoice_id]).to.deep.equal(["accepted", null]);
    const second = await ok(post(quote.id, "convert"));
    await books.issue(second.id);
    await ok(books.owner.post(`/invoicing/invoices/${second.id}/cancel`));
    expect((await ok(books.owner.get(`/invoicing/quotes/${quote.id}`))).status).to.equal("invoiced");
  });

  it("are converted by who may write invoices too", async () => {
    const quote = await issued();
    await ok(post(quote.id, "accept"));
    const seller = await tenant.member("member", { grants: ["invoicing.quote.read", "invoicing.quote.write"] });
    expect((await seller.post(`/invoicing/quotes/${quote.id}/convert`)).status).to.equal(403);
    expect((await seller.get(`/invoicing/quotes/${quote.id}`)).status).to.equal(200);
  });

  it("keep to a selection, and to their organisation", async () => {
    const seen = await tenant.company({ name: "Seen" });
    const admin = await tenant.member("admin");
    await tenant.group("Some", [seen.id], [admin.membershipId]);
    const [hidden, shown] = [await create(), await create({ company_id: seen.id })];
    expect((await ok(admin.get("/invoicing/quotes"))).items.map(({ id }: DocumentBody) => id)).to.deep.equal([shown.id]);
    const { owner } = await service.tenant();
    for (const caller of [admin, owner])
      for (const answer of [
        await caller.get(`/invoicing/quotes/${hidden.id}`),
        await caller.patch(`/invoicing/quotes/${hidden.id}`, { reference: "x" }),
        await caller.post(`/invoicing/quotes/${hidden.id}/issue`, {}),
        await caller.delete(`/invoicing/quotes/${hidden.id}`),
      ])
        expect(refused(answer)).to.deep.equal([404, "errors.not_found"]);
  });
});
