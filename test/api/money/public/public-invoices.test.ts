import { expect } from "chai";
import { sharedService, type TestService } from "../../../support/service.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

const PRIVATE = {
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
};

describe("the public link of an invoice", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  const tokenOf = async (id: string): Promise<string | null> =>
    (await service.sql.query("select public_token from invoices where id = $1", [id])).rows[0].public_token;
  const visit = (token: string, path = "", host = books.tenant.host) =>
    service.call("GET", `/invoicing/public/invoices/${token}${path}`, { host });
  const account = (active = true) =>
    ok(
      books.owner.post("/invoicing/payment-accounts", {
        provider: "mollie",
        label: `Account ${active}`,
        api_key: `test_${"a".repeat(30)}`,
        active,
      }),
    );
  const links = (on: boolean) => ok(books.owner.put("/invoicing/settings", { public_invoice_links: on }));

  it("returns exactly what a payer needs, and sends no referrer to others", async () => {
    const { id, number, total, issue_date, due_date } = await books.issued();
    const token = (await tokenOf(id)) as string;
    expect(token).to.match(/^[A-Za-z0-9_-]{43}$/);
    const { status, body, headers } = await visit(token);
    expect(status).to.equal(200);
    expect(headers).to.include(PRIVATE);
    expect(body).to.deep.equal({
      kind: "invoice",
      number,
      status: "open",
      customer_name: "Aster",
      issue_date,
      due_date,
      currency: "EUR",
      locale: "nl",
      total,
      paid_total: "0.00",
      outstanding: total,
      discount_until: null,
      discounted: null,
      payable: false,
      payment_status: null,
      payment_pending: false,
      payment_settled: false,
    });
  });

  it("is payable while there is something to pay and an active account", async () => {
    const { id } = await books.issued();
    const token = (await tokenOf(id)) as string;
    const payable = async () => (await visit(token)).body.payable;
    await account(false);
    expect(await payable()).to.equal(false);
    await account();
    expect(await payable()).to.equal(true);
    await books.pay(id, "1028.44");
    expect(await payable()).to.equal(false);
  });

  it("reports the state of the newest attempt", async () => {
    const { id } = await books.issued();
    const token = (await tokenOf(id)) as string;
    const attempt = (status: string, minutes: number, settled = false) =>
      service.sql.query(
        `insert into payment_intents (id, organisation_id, invoice_id, provider, external_id, amount, currency, mode, status, created_at, settled_at)
           values (gen_random_uuid(), $1, $2, 'mollie', $6, 1, 'EUR', 'live', $3, now() + $4 * interval '1 min', case when $5 then now() end)`,
        [books.tenant.organisation.id, id, status, minutes, settled, `tr_${status}${id.slice(-12)}`],
      );
    const state = async () => {
      const { payment_status, payment_pending, payment_settled } = (await visit(token)).body;
      return [payment_status, payment_pending, payment_settled];
    };
    await attempt("failed", 1);
    expect(await state()).to.deep.equal(["failed", false, false]);
    await attempt("authorized", 2);
    expect(await state()).to.deep.equal(["authorized", true, false]);
    await attempt("paid", 3, true);
    expect(await state()).to.deep.equal(["paid", false, true]);
  });

  it("shows the very page the staff see", async () => {
    const { id } = await books.issued();
    const { status, text, headers } = await visit((await tokenOf(id)) as string, "/preview");
    expect(status).to.equal(200);
    expect(headers).to.include(PRIVATE);
    expect(headers["content-security-policy"]).to.include("default-src 'none'");
    expect(text).to.equal((await books.owner.get(`/invoicing/invoices/${id}/preview`)).text);
  });

  it("answers one and the same 404 to every dead link", async () => {
    const { id } = await books.issued();
    const token = (await tokenOf(id)) as string;
    const draft = await books.draft();
    const drafted = "d".repeat(43);
    await service.sql.query("update invoices set public_token = $2 where id = $1", [draft.id, drafted]);
    const other = await service.tenant();
    const wrong = [
      await visit(token, "", other.host),
      await visit(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`),
      await visit("short"),
      await visit("x".repeat(65)),
      await visit("%00".repeat(20)),
      await visit(drafted),
      await visit(token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase()),
    ];
    await links(false);
    wrong.push(await visit(token), await visit(token, "/preview"), await visit(token, "/pdf"));
    for (const [index, answer] of wrong.entries()) {
      expect([index, answer.status, answer.body.error.code]).to.deep.equal([index, 404, "not_found"]);
      expect(answer.text).to.equal((wrong[0] as { text: string }).text);
    }
    for (const answer of [wrong[0], wrong.at(-1)]) expect(answer?.headers).to.include(PRIVATE);
    await links(true);
    expect((await visit(token)).status).to.equal(200);
  });

  it("gets its token at the first rendering where links were off at the issue, and keeps it", async () => {
    await links(false);
    const { id } = await books.issued();
    expect(await tokenOf(id)).to.equal(null);
    const look = () => books.owner.get(`/invoicing/invoices/${id}/preview`);
    await look();
    expect(await tokenOf(id)).to.equal(null);
    await links(true);
    await Promise.all([look(), look(), look()]);
    const token = await tokenOf(id);
    expect(token).to.have.length(43);
    await look();
    expect(await tokenOf(id)).to.equal(token);
    const draft = await books.draft();
    await books.owner.get(`/invoicing/invoices/${draft.id}/preview`);
    expect(await tokenOf(draft.id)).to.equal(null);
  });

  it("is closed while the organisation is suspended", async () => {
    const { id } = await books.issued();
    const token = (await tokenOf(id)) as string;
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [books.tenant.organisation.id]);
    expect((await visit(token)).status).to.equal(403);
  });
});
