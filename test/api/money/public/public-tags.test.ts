import { expect } from "chai";
import { send } from "../../../support/http.ts";
import { sharedService, type TestService } from "../../../support/service.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

describe("documents behind a public link, with If-Match (conventions §11)", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  /** Issues a document and returns its public path. */
  const issued = async (kind: "quotes" | "invoices") => {
    const { id } = await ok(books.owner.post(`/invoicing/${kind}`, { company_id: books.company, lines: books.mixed() }));
    await ok(books.owner.post(`/invoicing/${kind}/${id}/issue`, {}));
    const { rows } = await service.sql.query(`select public_token from ${kind} where id = $1`, [id]);
    return { id, path: `/invoicing/public/${kind}/${rows[0].public_token}` };
  };
  const call = (method: string, path: string, tag?: string) =>
    send(service.port, method, path, {
      host: books.tenant.host,
      ...(method === "POST" && { body: { name: "Jo Visser" } }),
      ...(tag !== undefined && { headers: { "If-Match": tag } }),
    });

  it("carry the tag that staff see", async () => {
    for (const kind of ["quotes", "invoices"] as const) {
      const { id, path } = await issued(kind);
      const { etag } = (await books.owner.get(`/invoicing/${kind}/${id}`)).headers;
      expect((await call("GET", path)).headers.etag, kind)
        .to.equal(etag)
        .and.to.match(/^"\d+"$/);
    }
  });

  it("a quote is accepted only as it was read", async () => {
    const { id, path } = await issued("quotes");
    const { etag } = (await call("GET", path)).headers;
    await service.sql.query("update quotes set version = version + 1 where id = $1", [id]);
    expect((await call("POST", `${path}/accept`, etag)).status).to.equal(412);
    const now = (await call("GET", path)).headers.etag;
    const accepted = await call("POST", `${path}/accept`, now);
    expect([accepted.status, accepted.body.status]).to.deep.equal([200, "accepted"]);
    expect(accepted.headers.etag)
      .to.equal((await call("GET", path)).headers.etag)
      .and.not.to.equal(now);
  });
});
