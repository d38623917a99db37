import { expect } from "chai";
import sinon from "sinon";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("replaces functions of the process");

describe("the migrations that readiness and system information look at", () => {
  let service: TestService;
  let tenant: Tenant;
  let error: sinon.SinonStub;
  before(async () => {
    service = await startService();
    tenant = await service.tenant();
  });
  beforeEach(() => {
    error = sinon.stub(service.node.broker.logger, "error");
  });
  afterEach(() => error.restore());
  after(() => service.stop());

  /** What both say while the table is changed, and the logged errors. */
  const during = async (change: string, undo: string) => {
    await service.sql.query(change);
    try {
      const ready = await service.call("GET", "//health/ready");
      const info = await tenant.owner.get("/system/info");
      const logged = error.args.map(([line]) => line.event);
      return [ready.status, ready.body, info.status, info.body.migrations.current, info.body.migrations.up_to_date, logged];
    } finally {
      await service.sql.query(undo);
    }
  };

  it("are none without their table, which is no fault", async () => {
    const state = await during("alter table migrations rename to moved", "alter table moved rename to migrations");
    expect(state).to.deep.equal([503, { status: "degraded", missing: ["schema"] }, 200, [], false, []]);
  });

  it("are logged when they cannot be read", async () => {
    const state = await during("alter table migrations rename name to step", "alter table migrations rename step to name");
    const event = "system.migrations_unreadable";
    expect(state).to.deep.equal([503, { status: "degraded", missing: ["schema"] }, 200, [], false, [event, event]]);
    expect(error.args[0]?.[0].error).to.contain("name");
  });
});
