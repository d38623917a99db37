// One node of the tests of the workspace suite over several nodes: `workspace-node.ts <application> <owner> <transporter> <settings as JSON>`.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readConfig } from "../../core/config/config.ts";
import { createNode } from "../../operator/node.ts";
import { probe } from "../api/workspace/probe.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";

const [application = "", owner = "", transporter = "", settings = "{}"] = process.argv.slice(2);
const node = await createNode(
  readConfig({
    ...nodeSettings({ application }),
    SERVICE_DATA_DIR: mkdtempSync(path.join(tmpdir(), "kantoor-")),
    SERVICE_DATABASE_MIGRATION_URL: owner,
    ...(transporter !== "" && { TRANSPORTER: transporter }),
    ...JSON.parse(settings),
  }),
  [],
  [probe],
);
await node.start();
process.send?.(node.port());
