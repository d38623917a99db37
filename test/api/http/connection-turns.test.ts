import { expect } from "chai";
import pg from "pg";
import { poolFigures } from "../../../core/database/connection/database.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

// A service of its own: its pool has three connections.
describe("an organisation that takes all connections it can get", function () {
  this.timeout(120_000);
  let service: TestService;
  let busy: Tenant;
  let neighbour: Tenant;
  let holder: pg.Client;

  before(async () => {
    service = await startService({ SERVICE_DATABASE_POOL: "3" });
    [busy, neighbour] = [await service.tenant(), await service.tenant()];
    holder = new pg.Client({ connectionString: service.database.owner });
    await holder.connect();
  });
  after(async () => {
    await holder?.end();
    await service.stop();
  });

  it("leaves one to its neighbours, who read and write at once; its own requests wait and are answered", async () => {
    const { id } = await busy.company();
    await holder.query("begin");
    await holder.query("select from companies where id = $1 for update", [id]);
    const patches = Array.from({ length: 6 }, (_, at) => busy.owner.patch(`/companies/${id}`, { city: `Town ${at}` }));
    await until(async () => poolFigures().waiting >= 4);
    expect(poolFigures().busy).to.equal(2);

    const list = await neighbour.owner.get("/companies");
    const created = await neighbour.owner.post("/companies", { name: "Zeilmakerij Wind" });
    expect([list.status, created.status]).to.deep.equal([200, 201]);
    expect(poolFigures().waiting).to.be.at.least(4);

    await holder.query("rollback");
    expect((await Promise.all(patches)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200]);
    expect(poolFigures()).to.include({ busy: 0, waiting: 0 });
  });
});
