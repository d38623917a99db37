import { expect } from "chai";
import { clusterShare } from "../support/cluster/share.ts";
import { requireNats } from "../support/nodes/nats.ts";
import { jobsOf } from "../support/run/jobs.ts";
import type { Result } from "../support/run/messages.ts";
import { Pool } from "../support/run/pool.ts";

/** How many times the usual number of files. */
const TIMES = Number(process.env["CLUSTER_TIMES"] ?? 1);
const DAY = Math.floor(Date.now() / 86_400_000);

describe("the API tests on two gateways and two workers", function () {
  this.timeout(TIMES * 1_200_000);
  const files = clusterShare(DAY, TIMES);
  const results = new Map<string, Result>();

  before(async function () {
    requireNats(this);
    // One process runs them all, so that files which share a service share a cluster.
    const pool = new Pool(jobsOf(files, 1), {
      workers: 1,
      env: { ...process.env, TEST_TOPOLOGY: "cluster" },
      onDone: (result) => results.set(result.job.file, result),
    });
    await pool.run();
  });

  for (const file of files)
    it(`pass in ${file}`, function () {
      const result = results.get(file);
      expect(result?.report ?? "it was not run").to.equal("");
      expect(result?.failed).to.equal(0);
      if (result?.leftOut) this.skip();
    });
});
