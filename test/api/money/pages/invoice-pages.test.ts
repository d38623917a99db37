import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type PageCall, sessionOf, visitPage } from "../../../support/pages.ts";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";
import { type PaymentWorld, startPayments } from "../../payment/payment-world.ts";

const PASSWORD = "correct horse battery";
const PRIVATE = {
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
};

describe("pages of invoices", () => {
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  let id: string;
  let token: string;
  before(async () => {
    world = await startPayments();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    id = await world.invoice(tenant, { customer: JSON.stringify({ name: "Aster <b>B.V.</b>" }), due_date: "2026-07-01" });
    token = (await world.storedInvoice(id))["public_token"] as string;
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const visit = (method: string, path: string, { host = tenant.host, ...call }: PageCall & { host?: string } = {}) =>
    visitPage(service.port, host, method, path, call);
  const get = (path: string, call: PageCall & { host?: string } = {}) => visit("GET", path, call);
  const post = (path: string, call: PageCall & { host?: string } = {}) => visit("POST", path, { form: {}, ...call });
  const links = (on: boolean) => tenant.owner.put("/invoicing/settings", { public_invoice_links: on });
  const newest = async () =>
    (
      await service.sql.query(
        "select checkout_url, external_id from payment_intents where invoice_id = $1 order by created_at desc, id desc",
        [id],
      )
    ).rows[0];
  /** As after five seconds. */
  const later = () =>
    service.sql.query("update payment_intents set refreshed_at = refreshed_at - interval '5 seconds' where invoice_id = $1", [
      id,
    ]);
  /** The page itself, without what differs from one answer to the next. */
  const plain = (text: string) => text.replaceAll(/nonce="[^"]*"/g, "");
  const payButton = (path: string) => `<form method="post" action="${path}">`;

  describe("/invoice/:token", () => {
    it("says above the document how to pay by bank, with the account of the issued invoice", async () => {
      expect((await get(`/invoice/${token}`)).text, "no account").to.not.contain("IBAN");
      const company_details = { name: "Vela Works", iban: "NL91ABNA0417164300" };
      expect((await tenant.owner.put("/invoicing/settings", { company_details })).status).to.equal(200);
      const { text } = await get(`/invoice/${token}`);
      const { number } = await world.storedInvoice(id);
      expect(text).to.contain("<dd>NL91 ABNA 0417 1643 00</dd>").and.to.contain("<dd>Vela Works</dd>");
      expect(text).to.contain(`<dt>Kenmerk</dt><dd>${number}</dd>`);
      expect(text.indexOf("IBAN")).to.be.lessThan(text.indexOf("<iframe"));
      await service.sql.query("update invoices set status = 'cancelled' where id = $1", [id]);
      expect((await get(`/invoice/${token}`)).text, "cancelled").to.not.contain("IBAN");
    });

    it("shows the payer the requested amount, with the document in a frame, and sends no referrer to other sites", async () => {
      const { status, headers, text } = await get(`/invoice/${token}`);
      expect(status).to.equal(200);
      expect(headers).to.include(PRIVATE);
      expect(headers["content-security-policy"]).to.match(
        /^default-src 'none'; style-src 'self' 'nonce-[^']+'; img-src 'self'; frame-src 'self'; form-action 'self' https:; frame-ancestors 'none'; base-uri 'none'$/,
      );
      const { number } = await world.storedInvoice(id);
      const { brand_name } = (await service.call("GET", "/meta/tenant", { host: tenant.host })).body;
      expect(text).to.contain(`<h1>Factuur ${number}</h1>`).and.to.contain(`<dd>${brand_name}</dd>`);
      expect(text).to.contain("<dd>Aster &#60;b&#62;B.V.&#60;/b&#62;</dd>").and.to.contain("<dd>01-07-2026</dd>");
      expect(text)
        .to.contain("<dd>€ 121,00</dd>")
        .and.to.match(/<dd>\d+ dagen over de vervaldatum<\/dd>/);
      const document = `/api/v1/invoicing/public/invoices/${token}`;
      expect(text).to.contain(`<a href="${document}/pdf">`);
      expect(text).to.contain(`src="${document}/preview" title="Factuur ${number}" sandbox=""`);
      expect((await get(`${document}/preview`)).status).to.equal(200);
      expect(text, "no account").to.not.contain("<form");
      expect(text).to.not.match(/<script|\son[a-z]+=|style="|http-equiv|languages/);
    });

    it("is in the document's language, whatever the browser prefers", async () => {
      const other = await world.invoice(tenant, { locale: "en" });
      const link = (await world.storedInvoice(other))["public_token"];
      const { text } = await get(`/invoice/${link}?lang=nl`, { headers: { "Accept-Language": "nl" } });
      expect(text).to.contain('<html lang="en">').and.to.contain("<h1>Invoice ").and.to.contain("€ 121.00");
    });

    it("says what an invoice below zero pays back", async () => {
      const link = async (values: object) =>
        (await get(`/invoice/${(await world.storedInvoice(await world.invoice(tenant, values as never)))["public_token"]}`)).text;
      expect(await link({ total: "-121.00" }))
        .to.contain("<dt>Krijg je terug</dt><dd>€ 121,00</dd>")
        .and.not.contain("Te veel betaald");
      expect(await link({ status: "paid", paid_total: "150.00" })).to.contain("<dt>Te veel betaald</dt><dd>€ 29,00</dd>");
    });

    it("answers one and the same page to every dead link", async () => {
      const draft = await world.invoice(tenant, { status: "draft" });
      const other = await service.tenant();
      const unknown = await get(`/invoice/${"x".repeat(43)}`);
      expect(unknown.status).to.equal(404);
      expect(unknown.headers).to.include(PRIVATE);
      const wrong = [
        await get("/invoice/short"),
        await get(`/invoice/${"x".repeat(200)}`),
        await get(`/invoice/${"%00".repeat(20)}`),
        await get("/invoice/%zz"),
        await get(`/invoice/${(await world.storedInvoice(draft))["public_token"]}`),
        await post(`/invoice/${"x".repeat(43)}`),
        await get(`/invoice/${"x".repeat(43)}?return=1`),
      ];
      await links(false);
      wrong.push(await get(`/invoice/${token}`), await post(`/invoice/${token}`));
      for (const { status, text } of wrong) expect([status, plain(text)]).to.deep.equal([404, plain(unknown.text)]);
      expect((await get(`/invoice/${token}`, { host: other.host })).status).to.equal(404);
      await links(true);
      expect((await get(`/invoice/${token}`)).status).to.equal(200);
    });

    it("leads to a checkout, while there is something to pay", async () => {
      await world.account(tenant);
      expect((await get(`/invoice/${token}`)).text).to.contain(payButton(`/invoice/${token}`));
      const paying = await post(`/invoice/${token}`);
      const { checkout_url } = await newest();
      expect([paying.status, paying.headers.location]).to.deep.equal([303, checkout_url]);
      expect(paying.headers["referrer-policy"]).to.equal("no-referrer");
      expect((await get(`/invoice/${token}`)).text).to.contain("Er loopt een betaling.");
      await service.sql.query("update invoices set status = 'paid', paid_total = 121 where id = $1", [id]);
      expect((await get(`/invoice/${token}`)).text).to.not.contain("<form");
      const late = await post(`/invoice/${token}`);
      expect(late.status).to.equal(409);
      expect(late.text).to.contain("Er is niets meer te betalen op deze factuur.").and.to.contain("<iframe");
    });

    it("refuses the form of another site's page", async () => {
      await world.account(tenant);
      for (const [name, value] of [
        ["Origin", "https://evil.example"],
        ["Origin", "null"],
        ["Sec-Fetch-Site", "cross-site"],
      ] as const)
        expect((await post(`/invoice/${token}`, { headers: { [name]: value } })).status).to.equal(403);
      expect(await newest()).to.equal(undefined);
    });

    it("shows a payer returning from the checkout the state, checking the provider once in five seconds", async () => {
      await world.account(tenant);
      await post(`/invoice/${token}`);
      const { external_id } = await newest();
      const back = await get(`/invoice/${token}?return=1`);
      expect(back.text).to.contain(`<meta http-equiv="refresh" content="6;url=/invoice/${token}?return=1&#38;round=1">`);
      expect(back.text).to.contain("We wachten op bericht");
      world.provider.pay(external_id);
      expect((await get(`/invoice/${token}?return=1&round=1`)).text).to.contain("We wachten op bericht");
      expect(world.provider.calls("get", external_id)).to.equal(1);
      await later();
      const arrived = await get(`/invoice/${token}?return=1&round=2`);
      expect(arrived.text).to.contain("Je betaling is ontvangen.").and.to.contain("<dd>Betaald</dd>");
      expect(arrived.text).to.not.contain("http-equiv").and.to.not.contain("<form");
      expect(await world.payments(id)).to.have.length(1);
    });

    it("stops reloading in the end, and accepts any query", async () => {
      await world.account(tenant);
      await post(`/invoice/${token}`);
      const { text } = await get(`/invoice/${token}?return=1&round=50`);
      expect(text).to.contain("Er is nog geen bericht").and.to.not.contain("http-equiv");
      const odd = await get(`/invoice/${token}?return=&round=%27x&utm=1`);
      expect([odd.status, odd.text.includes("round=1")]).to.deep.equal([200, true]);
    });

    it("reports a payment that did not succeed", async () => {
      await world.account(tenant);
      await post(`/invoice/${token}`);
      world.provider.move((await newest()).external_id, { status: "canceled" });
      const { text } = await get(`/invoice/${token}?return=1`);
      expect(text)
        .to.contain("De betaling is geannuleerd.")
        .and.to.contain(payButton(`/invoice/${token}`));
    });
  });

  describe("/invoices/:invoice_id", () => {
    const signedIn = async (caller: Caller) => {
      const form = { username: caller.email as string, password: PASSWORD };
      return sessionOf(await post("/login", { form }));
    };

    it("leads signed-out visitors to the sign-in page and back", async () => {
      const { status, headers } = await get(`/invoices/${id}?return=1`);
      const next = `/login?next=${encodeURIComponent(`/invoices/${id}?return=1`)}`;
      expect([status, headers.location]).to.deep.equal([303, next]);
      expect((await post(`/invoices/${id}`)).headers.location).to.equal(`/login?next=${encodeURIComponent(`/invoices/${id}`)}`);
    });

    it("shows the invoice to the staff, and leads to a checkout and back", async () => {
      const cookie = await signedIn(await tenant.member("admin", { password: PASSWORD }));
      const before = await get(`/invoices/${id}`, { cookie });
      expect(before.status).to.equal(200);
      expect(before.headers).to.include(PRIVATE);
      expect(before.text)
        .to.contain("<dd>€ 121,00</dd>")
        .and.to.not.contain(payButton(`/invoices/${id}`));
      const preview = `/api/v1/invoicing/invoices/${id}/preview`;
      expect(before.text).to.contain(`src="${preview}"`);
      expect((await get(preview, { cookie })).status).to.equal(200);
      await world.account(tenant);
      expect((await get(`/invoices/${id}`, { cookie })).text).to.contain(payButton(`/invoices/${id}`));
      const paying = await post(`/invoices/${id}`, { cookie });
      const { checkout_url, external_id } = await newest();
      expect([paying.status, paying.headers.location]).to.deep.equal([303, checkout_url]);
      world.provider.pay(external_id);
      expect((await get(`/invoices/${id}?return=1`, { cookie })).text).to.contain("Je betaling is ontvangen.");
    });

    it("shows a client login the invoices of its own clients, and nothing of others or of drafts", async () => {
      const { company_id } = await world.storedInvoice(id);
      const client = await tenant.member("client", { password: PASSWORD });
      await tenant.group("own", [company_id as string], [client.membershipId as string]);
      const cookie = await signedIn(client);
      const draft = await world.invoice(tenant, { company_id, status: "draft" });
      const other = await world.invoice(tenant);
      await world.account(tenant);
      expect((await get(`/invoices/${id}`, { cookie })).text).to.contain(payButton(`/invoices/${id}`));
      expect((await post(`/invoices/${id}`, { cookie })).status).to.equal(303);
      for (const hidden of [draft, other, randomUUID(), "no-id"]) {
        expect((await get(`/invoices/${hidden}`, { cookie })).status).to.equal(404);
        expect((await post(`/invoices/${hidden}`, { cookie })).status).to.equal(404);
      }
    });

    it("is not there for a member without a right to invoices, nor for another site's form", async () => {
      await world.account(tenant);
      const cookie = await signedIn(await tenant.member("member", { password: PASSWORD }));
      expect((await get(`/invoices/${id}`, { cookie })).status).to.equal(404);
      const admin = await signedIn(await tenant.member("admin", { password: PASSWORD }));
      const foreign = await post(`/invoices/${id}`, { cookie: admin, headers: { Origin: "https://evil.example" } });
      expect(foreign.status).to.equal(403);
      expect(await newest()).to.equal(undefined);
    });
  });
});
