import { expect } from "chai";
import { type Call, send } from "../../support/http.ts";
import { ADMIN_HOST, administrator } from "../../support/instance/administrator.ts";
import { sharedService, type TestService } from "../../support/service.ts";

describe("/ops on the host of the instance administrators", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const visit = (path: string, call: Call = {}, method = "GET") =>
    send(service.port, method, `//${path}`, { host: ADMIN_HOST, ...call });

  it("shows the pages and the figures to those who may see the jobs", async () => {
    const { cookie } = await administrator(service, ["jobs"]);
    for (const path of ["ops", "ops/jobs", "ops/nodes"]) {
      const page = await visit(path, { cookie });
      expect([path, page.status]).to.deep.equal([path, 200]);
      expect(page.text).to.contain("Kantoor").and.to.not.contain('/ops/mail"');
    }
    expect((await visit("ops/figures", { cookie })).body).to.include.keys("nodes", "queues");
    expect((await visit("ops/mail", { cookie })).status).to.equal(404);
  });

  it("refuses administrators without that capability, and leads visitors to the sign-in of this host", async () => {
    const { cookie } = await administrator(service, ["organisations", "users"]);
    expect((await visit("ops", { cookie })).status).to.equal(403);
    expect((await visit("ops/figures")).status).to.equal(401);
    const stranger = await visit("ops/jobs", { headers: { Accept: "text/html" } });
    expect([stranger.status, stranger.headers.location]).to.deep.equal([303, "/login?next=%2Fops%2Fjobs"]);
  });

  it("retries nothing for a form of another site, and writes what it does in the audit", async () => {
    const { id, email, cookie } = await administrator(service, ["jobs"]);
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const foreign = { cookie, body: "", headers: { ...form, Origin: "https://elsewhere.test" } };
    expect((await visit("ops/jobs/retry", foreign, "POST")).status).to.equal(403);
    const own = { cookie, body: "name=no.such.job", headers: { ...form, Origin: `http://${ADMIN_HOST}` } };
    expect((await visit("ops/jobs/retry", own, "POST")).status).to.equal(303);
    const { rows } = await service.sql.query(
      "select actor, action, detail from operator_audit where administrator_id = $1 and action = 'jobs.retried'",
      [id],
    );
    expect(rows, "the page and the API leave the same line").to.deep.equal([
      { actor: email, action: "jobs.retried", detail: { name: "no.such.job", jobs: 0 } },
    ]);
  });

  it("knows no superuser of an organisation", async () => {
    const tenant = await service.tenant();
    expect((await visit("ops", { key: tenant.owner.key })).status).to.equal(401);
  });
});
