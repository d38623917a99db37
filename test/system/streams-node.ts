// The node that writes in the test of streams over several nodes: `streams-node.ts <application address> <owner address> <transporter> <folder>`.
import { readConfig } from "../../core/config/config.ts";
import { createNode } from "../../operator/node.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { streaming } from "../support/streams/actor.ts";

const [application = "", owner = "", transporter = "", dataDir = ""] = process.argv.slice(2);
const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_DATABASE_MIGRATION_URL: owner, TRANSPORTER: transporter };
const node = await createNode(readConfig({ ...nodeSettings({ application }), ...settings }), [], [streaming]);
await node.start();
process.once("message", async () => {
  await node.stop();
  process.exit(0);
});
process.send?.(node.port());
