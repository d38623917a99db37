import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { expect } from "chai";
import { linesOf, SHELL } from "../support/documents.ts";
import { freePort } from "../support/ports.ts";
import { cleanEnvironment, launch, type Spawned } from "../support/process.ts";
import { type Followed, followTutorials } from "../support/tutorial.ts";

const CHAPTERS = ["## Adding a module", "## Jobs and integrations", "## Adding a registrar"];

describe("a repository in which the tutorials were followed", function () {
  this.timeout(240_000);
  let copy: Followed;
  let service: Spawned | undefined;
  let beacon: ChildProcess | undefined;

  before(() => {
    copy = followTutorials(CHAPTERS);
  });
  after(async () => {
    beacon?.kill();
    await service?.stop();
    copy.remove();
  });

  it("passes npm run check", () => {
    const { status, said } = copy.run(["bin/run.mjs", "check"]);
    expect(status, said).to.equal(0);
    expect(said).to.match(/^Checked \d+ files in \S+ No fixes applied\.\n$/);
  });

  it("passes the test of the registrar its tutorial adds, with the line it ends with", () => {
    const [line = ""] = linesOf("## Adding a registrar");
    expect(line).to.equal("npm test -- test/api/assets/registrar-nameshop.test.ts\n");
    const run = spawnSync(SHELL, ["-euc", line], { cwd: copy.folder, encoding: "utf8", env: cleanEnvironment() });
    expect(run.status, `${run.stdout}${run.stderr}`).to.equal(0);
    expect(run.stdout).to.match(/\b1 passed, 0 failed\b/);
  });

  it("shows the integration at work with the lines its tutorial ends with", async () => {
    const [starting = "", trying = ""] = linesOf("## Jobs and integrations");
    const [, answering = "", start] = /^node -e '(.+)' &\n(.+)\n$/.exec(starting) ?? [];
    expect(start).to.equal("BEACON_URL=http://localhost:4000/v1 npm start");
    const [port, beaconPort] = [await freePort(), await freePort()];
    beacon = spawn(process.execPath, ["-e", answering.replace("4000", String(beaconPort))]);
    service = await launch([process.execPath, "bin/run.mjs", "start"], {
      cwd: copy.folder,
      environment: {
        BEACON_URL: `http://localhost:${beaconPort}/v1`,
        SERVICE_HTTP_PORT: String(port),
        SERVICE_HTTP_ADDRESS: "127.0.0.1",
      },
      ready: /Kantoor is ready on http:\/\/localhost:(\d+)[\s\S]*Try: /,
    });
    // A second is enough for its reader; a machine with other work may take longer.
    const patient = trying.replace(/^sleep 1; (curl .+)$/m, "until $1 | grep -q beacon.watched; do sleep 1; done; $1");
    expect(patient).to.include("until curl");
    const typed = spawnSync(SHELL, ["-euc", patient.replace("localhost:3000", `localhost:${port}`)], {
      cwd: copy.folder,
      encoding: "utf8",
      env: cleanEnvironment(),
      timeout: 600_000,
    });
    expect(typed.status, typed.stderr).to.equal(0);
    const [watched, created] = JSON.parse(typed.stdout);
    expect(watched).to.deep.include({ action: "beacon.watched", payload: { site_id: "site-1" } });
    expect(created).to.include({ action: "created" });
  });
});
