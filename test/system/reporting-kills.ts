// Loaded into a node of the test of reports before anything else: sections have figures, and the node dies where a report's name says so.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dieInSteps } from "../api/reporting/dying-steps.ts";
import { visits, withFigures } from "../api/reporting/report-world.ts";

const folder = process.env["REPORTING_KILLS"] as string;

withFigures({ "marketing.traffic_channels": async () => visits(12) });
dieInSteps((place) => {
  // Once for each place, over all nodes.
  const file = path.join(folder, place.replace(" ", "-"));
  if (existsSync(file)) return;
  writeFileSync(file, "");
  process.kill(process.pid, "SIGKILL");
});
