import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { launchService, type Spawned } from "../support/process.ts";

/** A file system of its own that can be filled; false if this process may not mount one. */
function mount(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a service whose disk is full", function () {
  this.timeout(120_000);
  let folder: string;
  let service: Spawned | undefined;
  let isMounted = false;

  before(async function () {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-full-"));
    isMounted = mount(folder);
    if (!isMounted) {
      process.stdout.write("    this process may not mount a file system, so a disk that is really full is not tried\n");
      this.skip();
    }
    mkdirSync(path.join(folder, "data"), { mode: 0o755 });
    service = await launchService({
      SERVICE_DATA_DIR: path.join(folder, "data"),
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_LOG_LEVEL: "error",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
    });
  });
  after(async () => {
    await service?.stop();
    if (isMounted) execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  it("refuses writes with 503 and Retry-After, is not ready, and is both again once there is room", async () => {
    const { api_key: key, hostname: host } = JSON.parse(readFileSync(path.join(folder, "data/first-run.json"), "utf8"));
    const port = (service as Spawned).port as number;
    const create = () =>
      // Random notes: others would be compressed to nothing, and fit into the log that PostgreSQL has already.
      send(port, "POST", "/companies", {
        key,
        host,
        body: { name: "x".repeat(200), notes: randomBytes(30_000).toString("hex") },
      });
    const readiness = async () => (await send(port, "GET", "//health/ready", { host })).status;
    expect([await readiness(), (await create()).status]).to.deep.equal([200, 201]);

    // PostgreSQL takes and returns room meanwhile, so the filler grows until the service has noticed.
    const isFull = async () => {
      const { bavail, bsize } = statfsSync(folder);
      try {
        appendFileSync(path.join(folder, "filler"), Buffer.alloc(bavail * bsize));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
      return (await readiness()) === 503;
    };
    await until(isFull);
    const statuses = new Set<number>();
    for (let round = 0; round < 1000 && !statuses.has(503); round++) {
      const { status, headers } = await create();
      statuses.add(status);
      if (status === 503) expect(Number(headers["retry-after"])).to.be.greaterThan(0);
    }
    expect([...statuses].filter((status) => status !== 201)).to.deep.equal([503]);
    await until(isFull);
    // PostgreSQL starts again if its log finds no room; reads work as soon as it has.
    await until(async () => (await send(port, "GET", "/companies", { key, host })).status === 200);

    rmSync(path.join(folder, "filler"));
    await until(async () => (await readiness()) === 200);
    expect((await create()).status).to.equal(201);
  });
});
