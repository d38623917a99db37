import { rmSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { MadeReports } from "./made-reports.ts";
import { ok, type Row, refused } from "./reporting-world.ts";

const A = { email: "anna@vela.test" };

describe("sending a report that has changed, or whose document or responsible person is gone (workspace-reporting §1.5)", () => {
  const world = new MailWorld();
  let company: Row;
  let id: string;
  before(() => world.start());
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    company = await world.tenant.company({ name: "Vela" });
    id = await new MadeReports(world.service, world.tenant, company["id"]).report();
  });

  const owner = () => world.tenant.owner;
  const send = (ifMatch?: string) =>
    owner().post(`/reporting/reports/${id}/send`, { recipients: [A] }, ifMatch ? { headers: { "If-Match": ifMatch } } : {});

  it("refuses where the content of the document is missing, and mails nobody", async () => {
    rmSync(path.join(runtime().config.dataDir, "files", world.tenant.organisation.id), { recursive: true });
    expect(refused(await send())).to.deep.equal([409, "conflict", "errors.reporting.no_document"]);
    expect((await owner().get(`/reporting/reports/${id}/pdf`)).status).to.equal(404);
    expect(world.mailbox.delivered).to.deep.equal([]);
    expect((await ok(owner().get(`/reporting/reports/${id}`)))["status"]).to.equal("ready");
  });

  it("is 412 with the tag of an earlier state, and mails nobody; the tag of the present state sends (conventions §11)", async () => {
    const read = () => owner().get(`/reporting/reports/${id}`);
    const { etag } = (await read()).headers;
    await world.service.sql.query("update reports set title = 'Changed', version = version + 1 where id = $1", [id]);
    expect(refused(await send(etag))).to.deep.equal([412, "precondition_failed", "errors.precondition_failed"]);
    expect(world.mailbox.delivered).to.deep.equal([]);
    const sent = await send((await read()).headers.etag);
    expect([sent.status, sent.body["status"], world.mailbox.delivered.length]).to.deep.equal([200, "sent", 1]);
  });

  it("mails in the organisation's name where the responsible person has left", async () => {
    const iris = await world.tenant.member("member", { name: "Iris de Groot" });
    await ok(owner().patch(`/companies/${company["id"]}`, { responsible_user_id: iris.accountId }));
    await world.service.sql.query("update memberships set deactivated_at = now() where id = $1", [iris.membershipId]);
    await ok(send());
    const [{ mail } = { mail: undefined }] = world.mailbox.to(A.email);
    expect(mail?.from).to.include({ name: world.tenant.organisation.name });
    expect(mail?.text).not.to.include("Iris");
  });
});
