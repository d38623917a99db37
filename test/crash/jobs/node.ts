// A node of the crash run: `writer` works the jobs, `names` only answers.
import { readConfig } from "../../../core/config/config.ts";
import { createNode } from "../../../operator/node.ts";
import { names, writer } from "./actors.ts";

const isWriter = process.argv[2] === "writer";
const node = await createNode(readConfig(), isWriter ? ["mail", "jobs"] : ["none"], [isWriter ? writer : names]);
await node.start();
process.on("SIGTERM", () => void node.stop().then(() => process.exit(0)));
process.stdout.write(`Kantoor node ${node.broker.nodeID} is ready\n`);
