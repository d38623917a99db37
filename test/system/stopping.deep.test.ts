import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { freePort } from "../support/ports.ts";
import { cleanEnvironment } from "../support/process.ts";

const MAIN = path.join(import.meta.dirname, "../../main.ts");

/** A process of the service from its first moment on. */
interface Started {
  /** Whether it listens for SIGHUP, the last of the signals it ends by. */
  hears(): Promise<boolean>;
  output(): string;
  /** Its exit status, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  stop(): Promise<number | NodeJS.Signals | null>;
}

describe("a service with a database of its own", function () {
  this.timeout(120_000);
  let root: string;
  let dataDir: string;
  let port: number;
  /** The result of a first start, which takes three times as long as a later one. */
  let kept: string;
  const children: ChildProcess[] = [];

  const emptyPlace = async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-stopping-"));
    await chmod(root, 0o755);
    dataDir = path.join(root, "data");
    port = await freePort();
  };
  /** Turns the data directory into one from a finished first start. */
  const settled = () => execFileSync("cp", ["-a", kept, dataDir]);

  before(async () => {
    await emptyPlace();
    await (await ready()).stop();
    kept = dataDir;
  });
  after(() => rm(path.dirname(kept), { recursive: true, force: true }));
  beforeEach(emptyPlace);
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    for (const pid of await servers()) process.kill(pid, "SIGKILL");
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  /** Starts the service and does not wait for it. */
  const launch = (level = "warn", settings: Record<string, string> = {}): Started => {
    const env = {
      ...cleanEnvironment(),
      SERVICE_DATA_DIR: dataDir,
      SERVICE_HTTP_PORT: String(port),
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_LOG_LEVEL: level,
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      ...settings,
    };
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.once("close", (status, signal) => resolve(status ?? signal));
    });
    const pid = child.pid as number;
    const hears = async () => {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      return (Number(`0x${/^SigCgt:\s*(\w+)/m.exec(status)?.[1]}`) & 1) === 1;
    };
    const stop = () => {
      child.kill("SIGTERM");
      return ended;
    };
    return { hears, output: () => said, ended, stop };
  };
  const ready = async (level = "warn", settings: Record<string, string> = {}): Promise<Started> => {
    const service = launch(level, settings);
    await until(() => service.output().includes("is ready on"));
    return service;
  };
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await condition())) await delay(5);
  };
  const isServer = async (id: number): Promise<boolean> => {
    const words = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    return words.split("\0").some((word) => word.startsWith(`${dataDir}/postgres`));
  };
  /** Ids of the database servers that run on the data directory; it looks at every process there is. */
  const servers = async (): Promise<number[]> => {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const are = await Promise.all(ids.map(isServer));
    return ids.filter((_, at) => are[at]);
  };
  /** Id of the server once it is ready; until then 0. A killed one leaves its file behind. */
  const serverPid = async (): Promise<number> => {
    const lines = (await readFile(path.join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => "")).split("\n");
    const pid = lines[7]?.trim() === "ready" ? Number(lines[0]) : 0;
    return pid > 0 && (await isServer(pid)) ? pid : 0;
  };
  const killServer = async () => {
    let pid = 0;
    await until(async () => (pid = await serverPid()) > 0);
    process.kill(pid, "SIGKILL");
  };
  const health = (): Promise<number> =>
    new Promise((resolve) => {
      const request = http.get({ port, host: "127.0.0.1", path: "/health/ready", agent: false }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      });
      request.once("error", () => resolve(0));
    });

  describe("that gets SIGTERM while it starts ends in order, and its database with it:", () => {
    const moments: [string, (service: Started) => Promise<void>][] = [
      ["before anything has begun", (service) => until(() => service.hears())],
      ["while the database is made", () => until(() => existsSync(dataDir) && madeIn(dataDir))],
      ["once the database runs", () => until(async () => (await serverPid()) > 0)],
      ["once the schema is there", () => until(() => existsSync(path.join(dataDir, "secret")))],
      ["once it answers", () => until(async () => (await health()) === 200)],
    ];
    // Under the name it keeps where the moment was missed.
    const madeIn = async (folder: string) => (await readdir(folder)).some((name) => /^postgres(\.new-|$)/.test(name));

    for (const [moment, come] of moments)
      it(moment, async () => {
        const service = launch();
        await come(service);
        const status = await service.stop();
        expect([status, service.output()]).to.deep.equal([0, ""]);
        expect(await servers()).to.deep.equal([]);
      });
  });

  it("says at its first start what takes so long, before it does it, and not again", async () => {
    const made = `Creating a database in ${dataDir}; this takes some seconds.`;
    const first = launch("info");
    await until(() => first.output().includes(made));
    expect(first.output()).to.not.contain("is ready on");
    await until(() => first.output().includes("is ready on"));
    await first.stop();
    const second = await ready("info");
    await second.stop();
    expect(second.output()).to.not.contain("Creating a database");
  });

  it("says nothing of that for a database whose main secret comes from the environment", async () => {
    const settings = { SERVICE_SECRET: "of the environment, and of no file: 0123456789" };
    await (await ready("warn", settings)).stop();
    const again = await ready("info", settings);
    await again.stop();
    expect(again.output()).to.not.contain("Creating a database");
  });

  it("answers accepted requests when SIGTERM comes in its first moment of health", async () => {
    settled();
    const service = launch();
    await until(async () => (await health()) === 200);
    const answers = Array.from({ length: 40 }, () => {
      const socket = net.connect(port, "127.0.0.1");
      socket.write("GET /api/docs HTTP/1.1\r\nHost: localhost\r\n");
      const answer = new Promise<string>((resolve) => {
        let text = "";
        socket.setEncoding("utf8").on("data", (part) => (text += part));
        socket.once("error", (error) => resolve(error.message)).once("close", () => resolve(text.split("\r\n")[0] as string));
      });
      return { socket, answer };
    });
    // A later one is answered, so all of these are accepted.
    expect(await health()).to.equal(200);
    const stopped = service.stop();
    for (const { socket } of answers) socket.write("\r\n");
    const reported = await Promise.all(answers.map(({ answer }) => answer));
    expect(reported.filter((line) => !line.startsWith("HTTP/1.1 200"))).to.deep.equal([]);
    expect(await stopped).to.equal(0);
    expect(await servers()).to.deep.equal([]);
  });

  it("reports in a sentence that its database was killed while it started, or starts all the same, and leaves none behind", async () => {
    settled();
    for (const pause of [0, 100, 250, 500]) {
      const service = launch();
      await until(async () => (await serverPid()) > 0);
      await delay(pause);
      await killServer();
      await until(() => /is ready on|went away/.test(service.output()));
      const status = await service.stop();
      expect(service.output()).not.to.match(/^ +at |"stack"/m);
      if (!service.output().includes("is ready on")) {
        expect(service.output()).to.match(/^The database went away while the service started \(.+\): start it again\.$/m);
        expect(status).to.equal(1);
      }
      expect(await servers()).to.deep.equal([]);
    }
  });

  it("has its database started again when that dies, says so, and ends after the third time in a minute", async () => {
    settled();
    const service = await ready();
    const restarted = () =>
      service.output().match(/PostgreSQL \(process \d+\) has ended \(SIGKILL\); it was started again/g)?.length ?? 0;
    for (const time of [1, 2]) {
      await killServer();
      await until(() => restarted() === time);
      await until(async () => (await health()) === 200);
    }
    // A machine that takes more than a minute for three kills is given others.
    let isOver = false;
    const ended = service.ended.finally(() => (isOver = true));
    for (let kills = 3; !isOver && kills < 20; kills++) {
      await killServer();
      await until(() => isOver || restarted() === kills);
    }
    expect(await ended).to.equal(1);
    expect(service.output()).to.match(
      /^PostgreSQL \(process \d+\) has ended \(SIGKILL\), for the third time within a minute: see \S+\.$/m,
    );
    expect(await servers()).to.deep.equal([]);
    expect(await health()).to.equal(0);
  });
});
