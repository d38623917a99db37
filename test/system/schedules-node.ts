// One node of the test of schedules over several nodes: `schedules-node.ts <name> <application address> <owner address>`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readConfig } from "../../core/config/config.ts";
import { queryUnbound } from "../../core/database/connection/database.ts";
import { statement } from "../../core/sql/statement.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import { service as actor } from "../../mixins/resource.ts";
import { createNode } from "../../operator/node.ts";

const [name = "", application = "", owner = ""] = process.argv.slice(2);
const dataDir = mkdtempSync(path.join(tmpdir(), "kantoor-"));
const RAN = statement("insert into proof_runs (node, job, due, organisation) values ($1, $2, now(), $3)");
const never = "0 0 1 1 *";
const ran = async (job: string, organisation: string | null) => void (await queryUnbound(RAN, [name, job, organisation]));

const proof = actor("proof.nodes", {
  actions: {},
  jobs: {
    "proof.each": {
      about: "Tells that it ran for an organisation",
      schedule: never,
      everywhere: "a test",
      handler: (run) => ran(run.name, run.organisation.slug),
    },
    "proof.once": {
      about: "Tells that it ran",
      schedule: never,
      per: "installation",
      handler: () => ran("proof.once", null),
    },
  },
});

const node = await createNode(
  readConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_DATABASE_URL: application,
    SERVICE_DATABASE_MIGRATION_URL: owner,
    SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_NODE_ID: name,
    SERVICE_JOBS_POLL_MS: "100",
    SERVICE_LOG_LEVEL: "silent",
  }),
  [],
  [proof],
);
await node.start();
await jobsOf(node.broker).ready();
process.once("message", async () => {
  await node.stop();
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(0);
});
process.send?.("ready");
