// Starts the service on an empty data directory and a free port, writes its OpenAPI document to a file, and stops it.
//   node .ci/document.mjs <data directory> <file>
import { writeFileSync } from "node:fs";
import { launchService } from "../test/support/process.ts";

const [dataDir, file] = process.argv.slice(2);
const service = await launchService({
  SERVICE_DATA_DIR: dataDir,
  SERVICE_DEMO: "false",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
});
try {
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/openapi.json`);
  if (!answer.ok) throw new Error(`GET /api/openapi.json answered ${answer.status}`);
  writeFileSync(file, await answer.text());
  process.stdout.write(`OpenAPI document of a service that was ready after ${service.readyAfter} ms\n`);
} finally {
  await service.stop();
}
