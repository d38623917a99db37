import { expect } from "chai";
import type { Caller, Tenant } from "../../support/service.ts";
import { type SourcesWorld, startSources } from "./sources-world.ts";

const PASSWORD = "abcd efgh ijkl mnop";

describe("the credential of a website", () => {
  let world: SourcesWorld;
  let tenant: Tenant;
  let websiteId: string;
  let path: string;

  before(async () => {
    world = await startSources();
  });
  beforeEach(async () => {
    tenant = await world.service.tenant();
    websiteId = await world.website(tenant, (await tenant.company()).id);
    path = `/marketing/websites/${websiteId}/credential`;
  });
  after(() => world.stop());

  const values = () => ({ address: world.site.origin, username: "reader", password: PASSWORD });
  const put = (more: Record<string, unknown> = {}, who: Caller = tenant.owner) => who.put(path, { ...values(), ...more });
  const lines = async () =>
    (
      await world.service.sql.query("select action, payload from activity where entity_id = $1 order by created_at, id", [
        websiteId,
      ])
    ).rows;

  it("is stored sealed and read without its password", async () => {
    expect((await tenant.owner.get(path)).body).to.deep.equal({
      website_id: websiteId,
      configured: false,
      address: null,
      username: null,
      updated_at: null,
    });
    const { status, body, text } = await put({ address: `${world.site.origin}/shop/` });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ configured: true, address: `${world.site.origin}/shop`, username: "reader" });
    expect(text).not.to.contain("password");
    const { rows } = await world.service.sql.query("select password from marketing_website_credentials where website_id = $1", [
      websiteId,
    ]);
    expect(rows[0].password).to.match(/^v1\./).and.not.contain("abcd");
    expect(world.site.received).to.have.length(0);
  });

  it("keeps the password that is not sent, for the same host and user", async () => {
    expect((await put({ password: undefined })).body.error.fields).to.deep.equal({ password: "errors.required" });
    await put();
    for (const password of [undefined, null, ""])
      expect((await put({ password, address: `${world.site.origin}/blog` })).status).to.equal(200);
  });

  it("does not send a stored password to another host, nor as another user", async () => {
    await put();
    for (const more of [{ address: "http://127.0.0.2:8080" }, { username: "another" }])
      expect((await put({ password: "", ...more })).body.error.fields).to.deep.equal({ password: "errors.required" });
    expect((await put({ address: "http://127.0.0.2:8080" })).status).to.equal(200);
  });

  it("names in the trail of the website what changed, never a value", async () => {
    await put();
    await put({ password: undefined });
    await put({ address: `${world.site.origin}/blog`, password: "another" });
    await tenant.owner.delete(path);
    expect(await lines()).to.deep.equal([
      { action: "marketing.credential_added", payload: {} },
      { action: "marketing.credential_changed", payload: { changed: ["address", "password"] } },
      { action: "marketing.credential_removed", payload: {} },
    ]);
  });

  for (const address of [
    "bikes.example",
    "ftp://bikes.example",
    "https://user:secret@bikes.example",
    "https://bikes.example/?a=b",
    "http://10.0.0.1",
    "http://169.254.169.254",
  ])
    it(`refuses the address ${address}`, async () => {
      const { status, body } = await put({ address });
      expect([status, body.error.fields]).to.deep.equal([422, { address: "errors.invalid_url" }]);
    });

  it("refuses a blank user name", async () => {
    expect((await put({ username: "  " })).body.error.fields).to.deep.equal({ username: "errors.required" });
  });

  it("is removed once, and removing it again is not an error", async () => {
    await put();
    for (let n = 0; n < 2; n++) expect((await tenant.owner.delete(path)).status).to.equal(204);
    expect((await tenant.owner.get(path)).body.configured).to.equal(false);
    expect((await lines()).filter(({ action }) => action === "marketing.credential_removed")).to.have.length(1);
  });

  it("is compared with If-Match", async () => {
    const { headers } = await put();
    const stale = { headers: { "If-Match": '"99"' } };
    expect((await tenant.owner.put(path, values(), stale)).status).to.equal(412);
    expect((await tenant.owner.delete(path, stale)).status).to.equal(412);
    expect((await tenant.owner.delete(path, { headers: { "If-Match": headers["etag"] ?? "" } })).status).to.equal(204);
  });

  it("is 404 for a website of another organisation, of a client outside the selection, and for an unknown one", async () => {
    const other = await world.service.tenant();
    expect((await other.owner.get(path)).status).to.equal(404);
    expect((await other.owner.put(path, values())).status).to.equal(404);
    expect((await other.owner.delete(path)).status).to.equal(404);
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [(await tenant.company()).id], [restricted.membershipId]);
    expect((await restricted.get(path)).status).to.equal(404);
    expect((await put({}, restricted)).status).to.equal(404);
    expect((await restricted.delete(path)).status).to.equal(404);
  });

  it("takes marketing.link.manage", async () => {
    const member = await tenant.member("member");
    for (const answer of [await member.get(path), await put({}, member), await member.delete(path)])
      expect(answer.status).to.equal(403);
  });

  it("of two first writes at once one is the other's change", async () => {
    const answers = await Promise.all([put(), put({ username: "another" })]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await lines()).to.have.length(2);
  });
});
