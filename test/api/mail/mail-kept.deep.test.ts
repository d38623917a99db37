import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { digest } from "../../../core/security/crypto.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { settled, strike } from "../../support/jobs.ts";
import { proofMail } from "../../support/mail/proof-mail.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

oneProcess("looks inside the node");

const PASSWORD = "correct horse battery staple";

describe("mail of an embedded installation without a transport", () => {
  let service: TestService;
  let tenant: Tenant;
  let other: Tenant;
  let cookie: string;

  /** From the mail's point of view an installation is embedded exactly when it names no database. */
  const embedded = (yes: boolean) => {
    const { databaseUrl: _there, ...config } = runtime().config;
    runtime().config = { ...config, databaseUrl: yes ? undefined : service.database.application };
  };

  before(async () => {
    service = await startService({}, [proofMail]);
    tenant = await service.tenant();
    other = await service.tenant();
    const person = await tenant.member("member", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
    cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
  });
  after(() => service.stop());
  beforeEach(() => embedded(true));

  const look = (path: string, accept = "application/json") =>
    service.call("GET", `//ops/mail${path}`, { host: tenant.host, cookie, headers: { Accept: accept } });
  const promise = async (from: Tenant, address: string) => {
    const mail = {
      kind: "reset",
      to: { address, name: "Eva <b>de Wit</b>", locale: "en" },
      link: "/reset-password?token={token}",
    };
    return (await from.owner.post("/proof/mails", { mails: [mail] })).body[0];
  };

  it("is stored and not sent, and its promiser is notified", async () => {
    const { id, sent, error } = await promise(tenant, "a@x.test");
    expect([sent, error]).to.deep.equal([false, "errors.email_not_configured"]);
    const { rows } = await service.sql.query("select status from mails where id = $1", [id]);
    expect(rows).to.deep.equal([{ status: "kept" }]);
    await settled(service);
  });

  it("is listed for the instance administrator, of every organisation, newest first", async () => {
    const [first, second] = [await promise(tenant, "b@x.test"), await promise(other, "c@x.test")];
    const { status, body, headers } = await look("");
    expect(status).to.equal(200);
    expect(headers["content-type"]).to.equal("application/json; charset=utf-8");
    expect(
      body.slice(0, 2).map(({ id, organisation }: { id: string; organisation: string }) => [id, organisation]),
    ).to.deep.equal([
      [second.id, other.organisation.slug],
      [first.id, tenant.organisation.slug],
    ]);
    expect(body[0]).to.deep.include({ kind: "reset", to: { address: "c@x.test", name: "Eva <b>de Wit</b>" } });
  });

  it("is shown as it would have been sent, with the link that works, for scripts as JSON", async () => {
    const { id, token_hash } = await promise(other, "d@x.test");
    const { body } = await look(`/${id}`);
    expect(body.subject).to.equal(`Choose a new password for ${other.organisation.name}`);
    const [, token] = /token=([\w-]{43})/.exec(body.text) ?? [];
    expect(digest(token ?? "").toString("hex")).to.equal(token_hash);
    expect(body.html).to.contain(`http://${other.host}/reset-password?token=${token}`);
    expect(JSON.stringify((await service.sql.query("select * from mails")).rows)).not.to.contain(token);
  });

  it("is a page for people: nothing runs in it, and the HTML is in a sandbox", async () => {
    const { id } = await promise(tenant, "e@x.test");
    const page = await look("", "text/html");
    expect(page.headers["content-type"]).to.equal("text/html; charset=utf-8");
    expect(page.text)
      .to.contain(`<a href="/ops/mail/${id}">`)
      .and.to.contain("Eva &#60;b&#62;de Wit&#60;/b&#62; &#60;e@x.test&#62;");
    const one = await look(`/${id}`, "text/html");
    expect(one.text).to.contain(`<iframe sandbox="" title="HTML" src="/ops/mail/${id}/html">`);
    const html = await look(`/${id}/html`, "text/html");
    expect(html.text).to.contain("<!doctype html>").and.to.contain("Choose a new password");
    for (const { headers, text } of [page, one, html]) {
      expect(text).not.to.match(/<script|<b>de Wit/);
      expect(headers["content-security-policy"]).to.contain("default-src 'none'").and.not.to.contain("script-src");
      expect(headers).to.include({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    }
    expect(html.headers["content-security-policy"]).to.match(/^sandbox; /);
    expect(page.headers["content-security-policy"]).to.contain("frame-ancestors 'none'");
  });

  it("is for no other caller: no session 401, anyone but an instance administrator 403, a key 401", async () => {
    const { id } = await promise(tenant, "f@x.test");
    const person = await tenant.member("owner", { password: PASSWORD });
    const ordinary = await signIn(service.port, tenant.host, person.email, PASSWORD);
    for (const path of ["", `/${id}`, `/${id}/html`]) {
      const ask = (call: object) => service.call("GET", `//ops/mail${path}`, { host: tenant.host, ...call });
      expect((await ask({})).status).to.equal(401);
      expect((await ask({ cookie: ordinary })).status).to.equal(403);
      expect((await ask({ key: tenant.owner.key })).status).to.equal(401);
      expect((await service.call("GET", `//ops/mail${path}`, { host: other.host, cookie })).status).to.equal(401);
      expect((await service.call("GET", `//ops/mail${path}`, { host: "nowhere.test", cookie })).status).to.equal(404);
    }
    expect((await inSession(service.port, tenant.host, ordinary).get("/mail/kept")).status).to.equal(404);
  });

  it("knows no other method, no unknown mail, and no mail that was sent or is older than 24 hours", async () => {
    const { id } = await promise(tenant, "g@x.test");
    expect((await service.call("DELETE", `//ops/mail/${id}`, { host: tenant.host, cookie })).status).to.equal(405);
    expect((await look("/01a1feaa-cbe9-7473-860d-81a8e5b2ab7e")).status).to.equal(404);
    expect((await look("/nonsense")).status).to.equal(404);
    await service.sql.query("update mails set created_at = now() - interval '24 hours 1 second' where id = $1", [id]);
    expect((await look(`/${id}`)).status).to.equal(404);
    expect((await look("")).body.map((mail: { id: string }) => mail.id)).not.to.include(id);
  });

  it("is removed after 24 hours by an hourly job", async () => {
    const [old, young] = [await promise(tenant, "h@x.test"), await promise(tenant, "i@x.test")];
    await service.sql.query("update mails set created_at = now() - interval '24 hours 1 minute' where id = $1", [old.id]);
    await strike(service, "mail.clear");
    const { rows } = await service.sql.query("select id from mails where id = any($1)", [[old.id, young.id]]);
    expect(rows).to.deep.equal([{ id: young.id }]);
    const actor = service.node.broker.getLocalService("mail") as unknown as {
      schema: { jobs: Record<string, { schedule?: string }> };
    };
    expect(actor.schema.jobs["mail.clear"]?.schedule).to.match(/^\d+ \* \* \* \*$/);
  });

  it("does not exist where mail is not kept", async () => {
    const { id } = await promise(tenant, "j@x.test");
    embedded(false);
    expect((await look("")).status).to.equal(404);
    expect((await look(`/${id}`)).status).to.equal(404);
    expect((await promise(tenant, "k@x.test")).sent).to.equal(false);
  });

  it("is not part of the described API", async () => {
    const { text } = await service.call("GET", "//api/openapi.json");
    expect(text).not.to.contain("/ops/mail").and.not.to.contain("keptOne");
  });
});
