import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import { provider } from "../../../core/outbound/provider/provider.ts";
import { prepared } from "../../../core/request/context.ts";
import { answer, Type } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { type ActingCall, ActsWorld, type Ask } from "../../support/acts/acts-world.ts";
import { refused } from "../../support/answers.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { printerReady } from "../money/mails/mailed-documents.ts";

const NAMES: ActingCall["name"][] = ["edge", "registrar", "payments", "AI", "mail"];
const Proof = answer("UndeclaredProof", { made: Type.String() });

describe("requests that act outside of the service", function () {
  this.timeout(60_000);
  const world = new ActsWorld();
  let service: TestService;
  let tenant: Tenant;
  let ask: Ask;
  const undeclared = () =>
    actor("undeclared", {
      actions: {
        calls: action({
          rest: "POST /proof/undeclared",
          summary: "Orders without saying so, and swallows what comes of it",
          permission: "companies.company.write",
          returns: Proof,
          async prepare() {
            const client = provider({ kind: "edge", baseUrl: () => world.edge.root });
            await client.call({ account: "a", operation: "order", method: "POST", path: "/zones" }).catch(() => {});
            return "ordered";
          },
          handler: () => ({ made: prepared<string>() }),
        }),
        passes: action({
          rest: "POST /proof/undeclared/passes",
          summary: "Has another actor order without saying so",
          permission: "companies.company.write",
          returns: Proof,
          async prepare(ctx) {
            await ctx.call("undeclared.acts").catch(() => {});
            return "passed on";
          },
          handler: () => ({ made: prepared<string>() }),
        }),
        acts: internal({
          summary: "Acts",
          open: "a test",
          acts: "outside",
          async handler() {
            await actOutside("proof");
            acted += 1;
          },
        }),
      },
    });
  let acted = 0;

  before(async function () {
    this.timeout(180_000);
    await world.start();
    service = await startService(world.environment, [undeclared()]);
    tenant = await service.tenant();
    ask = (method, path, body, headers = {}) =>
      service.call(method, path, { key: tenant.owner.key, host: tenant.host, body, headers });
    await world.settle(ask);
    await printerReady();
  });
  afterEach(() => expect(world.complaints).to.deep.equal([]));
  after(async () => {
    await service.stop();
    await world.stop();
  });

  const moveAccess = () =>
    service.sql.query("update organisations set access_revision = access_revision + 1 where id = $1", [tenant.organisation.id]);
  const one = async (name: string) =>
    (await world.calls(service.sql, tenant.organisation.id, ask)).find((call) => call.name === name) as ActingCall;

  for (const name of NAMES)
    it(`act once, answer and write it down where access moves meanwhile: ${name}`, async () => {
      const { path, body, status, acts, provider: at, recorded, expected } = await one(name);
      let goOn = () => {};
      const held = new Promise<void>((resolve) => (goOn = resolve));
      const end = at?.simulator.failWhen(at.isAct, { kind: "wait", until: held }) ?? (() => {});
      world.mailbox.delay = at ? 0 : 1000;
      const before = at?.simulator.received.filter(at.isAct).length ?? 0;
      const answering = ask("POST", path, body);
      await until(() => (at ? at.simulator.received.filter(at.isAct).length > before : acts() > 0));
      await moveAccess();
      goOn();
      end();
      const answered = await answering;
      world.mailbox.delay = 0;
      expect([answered.status, acts(), await recorded()], answered.text).to.deep.equal([status, 1, expected]);
      const { rows } = await service.sql.query("select 1 from outside_acts");
      expect(rows).to.deep.equal([]);
    });

  it("do nothing for a caller who lost access while the provider was read", async () => {
    const { path, body, acts, recorded } = await one("registrar");
    const member = await tenant.member("admin");
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const isRead = ({ query }: { query: URLSearchParams }) => query.get("command") === "domain_inf";
    const end = world.registrar.failWhen(isRead, { kind: "wait", until: held });
    const before = world.registrar.received.filter(isRead).length;
    const answering = member.post(path, body);
    await until(() => world.registrar.received.filter(isRead).length > before);
    expect((await tenant.owner.delete(`/members/${member.membershipId}`)).status).to.equal(204);
    goOn();
    end();
    expect((await answering).status).to.be.oneOf([401, 403]);
    expect([acts(), await recorded()]).to.deep.equal([0, []]);
  });

  it("fail at their first such call if their action does not declare it, even if their code swallows the error", async () => {
    const before = world.edge.received.length;
    expect(refused(await tenant.owner.post("/proof/undeclared"))).to.deep.equal([500, "server_error", "errors.server"]);
    expect(world.edge.received).to.have.length(before);
    expect(refused(await tenant.owner.post("/proof/undeclared/passes"))).to.deep.equal([500, "server_error", "errors.server"]);
    expect(acted).to.equal(0);
  });
});
