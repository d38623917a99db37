import { expect } from "chai";
import type { Fault } from "../../../simulators/simulator.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { type RegistrarWorld, startRegistrar } from "./registrar-world.ts";

describe("POST /registrar/accounts/{account_id}/sync of a registrar in trouble", function () {
  this.timeout(60_000);
  let world: RegistrarWorld;
  let service: TestService;
  let tenant: Tenant;
  let group: string;
  before(async () => {
    world = await startRegistrar();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    group = world.provider.group(["NS2.host.nl", "ns1.host.nl"]);
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sync = (id: string) => tenant.owner.post(`/registrar/accounts/${id}/sync`);
  const held = (name: string, values = {}) => world.provider.register({ name, nsgroup: group, expires: "2027-03-01", ...values });
  const failed = (error: unknown) => ({ ok: false, found: 0, matched: 0, unmatched: 0, drifted: 0, error });

  describe("that fails changes nothing", () => {
    let id: string;
    let before: Record<string, unknown>[];
    beforeEach(async () => {
      id = await world.account(tenant);
      held("a.nl", { status: "Active" });
      held("b.nl");
      await sync(id);
      before = await world.register(tenant);
    });

    const unchanged = async (body: { error: string }, wanted: RegExp) => {
      expect(body).to.deep.equal(failed(body.error));
      expect(body.error).to.match(wanted);
      expect(await world.register(tenant)).to.deep.equal(before);
      const account = await world.storedAccount(id);
      expect([account["status"], account["last_error"]]).to.deep.equal(["error", body.error]);
      expect(account["last_synced_at"], "that of the last good one").not.to.equal(null);
    };

    it("a list that is shorter than it says", async () => {
      world.provider.leavesOut = 1;
      await unchanged((await sync(id)).body, /1 of 2 domains/);
      world.provider.leavesOut = 0;
      expect((await sync(id)).body.ok).to.equal(true);
      expect((await world.storedAccount(id))["status"]).to.equal("active");
    });

    const of = (command: string) => (request: { query: URLSearchParams }) => request.query.get("command") === command;
    const cut = (text: string): Fault => ({ kind: "reply", status: 200, body: text });
    const row = "<domain><domainname>b.nl</domainname></domain>";
    const begun = `<channel><order><status_code>XMLOK18</status_code><details>`;
    const whole = (details: string) => `${begun}${details}</details></order></channel>`;
    for (const [what, command, fault, error] of [
      ["a list that breaks off between two domains", "domain_list", cut(`${begun}${row}`), /unclosed tag/],
      ["a list that breaks off in a name", "domain_list", cut(`${begun}<domain><domainname>b.n`), /unclosed tag/],
      ["a list of which half came", "domain_list", { kind: "truncate" }, /./],
      ["a list with a domain without a name", "domain_list", cut(whole(`${row}<domain/>`)), /without a name/],
      [
        "a list without details",
        "domain_list",
        cut("<channel><order><status_code>XMLOK18</status_code></order></channel>"),
        /no details/,
      ],
      ["a page instead of a list", "domain_list", cut("<html><br></html>"), /not XML/],
      ["groups that cannot be read", "nsgroup_get", cut("<channel/>"), /no status code/],
    ] as [string, string, Fault, RegExp][])
      it(what, async () => {
        world.provider.failWhen(of(command), fault);
        await unchanged((await sync(id)).body, error);
      });

    it("a command that is refused", async () => {
      world.provider.refused.set("domain_list", "Het systeem is in onderhoud");
      await unchanged((await sync(id)).body, /^XMLERR 99 Het systeem is in onderhoud$/);
      world.provider.refused.clear();
      world.provider.refused.set("nsgroup_get", "Even niet");
      await unchanged((await sync(id)).body, /^XMLERR 99 Even niet$/);
    });

    it("a refused credential, without the password in stored values", async () => {
      const password = world.provider.password;
      world.provider.password = "another";
      const { body, text } = await sync(id);
      await unchanged(body, /^XMLERR 1 Inloggen mislukt/);
      for (const form of [password, encodeURIComponent(password)]) expect(text).not.to.include(form);
    });

    it("a registrar that asks to be left alone for longer than a minute", async () => {
      world.provider.failWhen(of("domain_list"), { kind: "reply", status: 429, headers: { "Retry-After": "90" } });
      await unchanged((await sync(id)).body, /wait 90 s/);
      expect(world.provider.received.filter(of("domain_list"))).to.have.length(2);
    });
  });

  it("waits as long as the registrar asks, and retries: a sync has no impatient caller", async () => {
    const id = await world.account(tenant);
    held("a.nl");
    world.provider.fail(
      { kind: "reply", status: 429, headers: { "Retry-After": "1" } },
      { kind: "reply", status: 429 },
      { kind: "drop" },
    );
    expect((await sync(id)).body).to.include({ ok: true, found: 1 });
  });
});
