import { expect } from "chai";
import { fanOut, type Queue, type QueuedJob } from "../../../core/jobs/store.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

describe("a queue that is not in this database", () => {
  let service: TestService;
  let _tenant: Tenant;
  const put: QueuedJob[] = [];
  let broken: Error | null = null;
  const queue: Queue = {
    own: false,
    async put(jobs) {
      if (broken) throw broken;
      put.push(...jobs);
    },
  };

  before(async () => {
    // With one connection the next call meets the state the one before left on it.
    service = await startService({ SERVICE_DATABASE_POOL: "1" });
    await jobsOf(service.node.broker).stop();
    _tenant = await service.tenant();
  });
  after(() => service.stop());

  it("gets jobs before the moment they are of counts as done: where it is away, the next try makes them", async () => {
    const clock = { name: "proof.elsewhere", due: null, worksOn: [], spread: 0 };
    const fire = () => fanOut(queue, clock, "2030-01-01T00:00:00.000Z");
    broken = new Error("away");
    expect(await fire().catch((error: Error) => error)).to.equal(broken);
    broken = null;
    const [job, ...others] = await fire();
    expect([job?.name, others]).to.deep.equal(["proof.elsewhere", []]);
    expect(put).to.deep.equal([job]);
    expect(await fire()).to.deep.equal([]);
    expect((await service.sql.query("select 1 from jobs.agenda_jobs where name = 'proof.elsewhere'")).rowCount).to.equal(0);
  });
});
