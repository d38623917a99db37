import { expect } from "chai";
import { type PageCall, visitPage } from "../../../support/pages.ts";
import { sharedService, type TestService } from "../../../support/service.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

const PRIVATE = {
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
};

describe("the page of a quote", () => {
  let service: TestService;
  let books: Invoicing;
  let id: string;
  let token: string;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
    const draft = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed() }));
    id = draft.id;
    await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
    token = (await service.sql.query("select public_token from quotes where id = $1", [id])).rows[0].public_token;
  });

  const get = (path = `/quote/${token}`, host = books.tenant.host) => visitPage(service.port, host, "GET", path);
  const post = (form: Record<string, string>, call: PageCall = {}, path = `/quote/${token}`) =>
    visitPage(service.port, books.tenant.host, "POST", path, { form, ...call });
  const read = () => ok(books.owner.get(`/invoicing/quotes/${id}`));
  const links = (on: boolean) => ok(books.owner.put("/invoicing/settings", { public_invoice_links: on }));
  const lastLine = async () => {
    const { rows } = await service.sql.query(
      "select action, payload, actor_account_id, actor_name from activity where entity_type = 'quote' and entity_id = $1 order by created_at desc, id desc limit 1",
      [id],
    );
    return rows[0];
  };

  it("shows the quote and its document, only behind its link", async () => {
    const { status, headers, text } = await get();
    expect(status).to.equal(200);
    expect(headers).to.include(PRIVATE);
    const { number } = await read();
    expect(text).to.contain(`<h1>Offerte ${number}</h1>`).and.to.contain("<dd>€ 1.028,44</dd>").and.to.contain("<dd>Aster</dd>");
    const document = `/api/v1/invoicing/public/quotes/${token}`;
    expect(text).to.contain(`<a href="${document}/pdf">`).and.to.contain(`src="${document}/preview"`);
    const preview = await get(`${document}/preview`);
    expect(preview.headers).to.include(PRIVATE);
    expect(preview.text).to.equal((await books.owner.get(`/invoicing/quotes/${id}/preview`)).text);
  });

  it("is accepted by who gives a name, on the record", async () => {
    const done = await post({ decision: "accepted", name: " Jo <b>Visser</b> ", note: "Graag\r\nsnel" });
    expect([done.status, done.headers.location]).to.deep.equal([303, `/quote/${token}`]);
    const { status, decision_note, decided_at } = await read();
    expect([status, decision_note]).to.deep.equal(["accepted", "Graag\nsnel"]);
    expect(decided_at).to.be.a("string");
    expect(await lastLine()).to.deep.equal({
      action: "accepted",
      payload: { note: "Graag\nsnel", name: "Jo <b>Visser</b>" },
      actor_account_id: null,
      actor_name: null,
    });
    const after = await get();
    expect(after.text).to.contain("Je hebt deze offerte geaccepteerd.").and.to.not.contain("<form");
    const again = await post({ decision: "rejected", name: "Jo" });
    expect(again.status).to.equal(409);
    expect(again.text).to.contain("Over deze offerte is al beslist.");
    expect((await read()).status).to.equal("accepted");
  });

  it("asks again for a name of one line, and keeps the input", async () => {
    for (const name of ["", "  ", "x".repeat(121), "two\nlines"]) {
      const { status, text } = await post({ decision: "accepted", name, note: "Blijft <staan>" });
      expect(status, name).to.equal(422);
      expect(text).to.contain("Vul je naam in").and.to.contain("Blijft &#60;staan&#62;");
    }
    expect((await post({ decision: "accepted", name: "Jo", note: "x".repeat(2001) })).text).to.contain("Een opmerking heeft");
    expect((await read()).status).to.equal("open");
  });

  it("is rejected without a name", async () => {
    expect((await post({ decision: "rejected" })).status).to.equal(303);
    expect(await lastLine()).to.deep.include({ action: "rejected", payload: { note: null, name: null } });
  });

  it("says that it has expired, also before the daily job does, and is then decided on by the staff alone", async () => {
    for (const change of ["status = 'expired'", "status = 'open', valid_until = current_date - 2"]) {
      await service.sql.query(`update quotes set ${change} where id = $1`, [id]);
      const before = await read();
      expect((await get()).text)
        .to.contain("<dd>Verlopen</dd>")
        .and.to.contain("Deze offerte is niet meer geldig.")
        .and.to.not.contain("<form");
      const late = await post({ decision: "accepted", name: "Jo" });
      expect(late.status).to.equal(409);
      expect(late.text).to.contain("Deze offerte is niet meer geldig.");
      const call = { host: books.tenant.host, body: { name: "Jo" } };
      const refused = await service.call("POST", `/invoicing/public/quotes/${token}/accept`, call);
      expect([refused.status, refused.body.error.message]).to.deep.equal([409, "errors.invoicing.wrong_status"]);
      expect(await read()).to.deep.equal(before);
    }
    expect((await ok(books.owner.post(`/invoicing/quotes/${id}/accept`, {}))).status).to.equal("accepted");
  });

  it("is decided on by the API as well, every answer of which is as secret", async () => {
    const call = (act: string, body?: object) =>
      service.call("POST", `/invoicing/public/quotes/${token}/${act}`, { host: books.tenant.host, ...(body && { body }) });
    const nameless = await call("accept", {});
    expect([nameless.status, nameless.body.error.fields]).to.deep.equal([422, { name: "errors.required" }]);
    const { status, body, headers } = await call("accept", { name: "Jo" });
    expect([status, body.status, body.decidable]).to.deep.equal([200, "accepted", false]);
    expect(headers).to.include(PRIVATE);
    const late = await call("reject", {});
    expect([late.status, late.body.error.message]).to.deep.equal([409, "errors.invoicing.wrong_status"]);
    expect(late.headers).to.include(PRIVATE);
    expect((await lastLine()).payload).to.deep.equal({ note: null, name: "Jo" });
  });

  it("refuses the form of another site's page, and one that decides nothing", async () => {
    const form = { decision: "accepted", name: "Jo" };
    expect((await post(form, { headers: { Origin: "https://evil.example" } })).status).to.equal(403);
    expect((await post(form, { headers: { "Sec-Fetch-Site": "same-site" } })).status).to.equal(403);
    expect((await post({ decision: "invoiced", name: "Jo" })).status).to.equal(404);
    expect((await read()).status).to.equal("open");
  });

  it("answers one and the same page to every dead link", async () => {
    const plain = ({ status, text }: { status: number; text: string }) => [status, text.replaceAll(/nonce="[^"]*"/g, "")];
    const unknown = plain(await get(`/quote/${"x".repeat(43)}`));
    expect(unknown[0]).to.equal(404);
    const other = await service.tenant();
    const answers = [await get("/quote/short"), await get("/quote/%zz"), await get(`/invoice/${token}`)];
    answers.push(await post({ decision: "accepted", name: "Jo" }, {}, `/quote/${"x".repeat(43)}`));
    await links(false);
    answers.push(await get(), await post({ decision: "accepted", name: "Jo" }));
    for (const answer of answers) expect(plain(answer)).to.deep.equal(unknown);
    expect((await get(`/quote/${token}`, other.host)).status).to.equal(404);
    await links(true);
    expect((await read()).status).to.equal("open");
    expect((await get()).status).to.equal(200);
  });
});
