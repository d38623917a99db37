import tls from "node:tls";
import { JobEngine } from "../../../core/jobs/engine.ts";
import { PASSWORD_COST } from "../../../core/security/crypto.ts";
import { bePatient } from "./patience.ts";
import { followClock } from "./shared-clock.ts";

// Preloaded into the nodes of a test's cluster: what a test in one process sets there.
Object.assign(PASSWORD_COST, { memoryCost: 8, timeCost: 1 });

/** Certificate that the nodes trust as well, in PEM. */
const authority = process.env["TEST_AUTHORITY"];
if (authority) tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority]);

bePatient();

const clock = process.env["TEST_CLOCK"];
if (clock) followClock(clock);

if (process.env["TEST_JOBS"] === "rest") {
  const { start } = JobEngine.prototype;
  JobEngine.prototype.start = function () {
    start.call(this);
    void this.ready().then(() => this.stop());
  };
}
