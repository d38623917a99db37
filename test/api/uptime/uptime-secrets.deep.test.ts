import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";
import { SECRETS, TYPES } from "../../simulators/uptime-kuma/monitors.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const OURS = ["kuma-password-secret", "kuma-token-secret", "header-value-secret", "123456-code-secret"];
const THEIRS = [...Object.values(SECRETS), "in-url-secret", "hook-secret", "smtp-secret"];

/** A service that writes everything it can to its log while a server is enrolled, read, written, refuses and breaks off. */
const SCRIPT = `
  import { UptimeKumaSimulator } from "${ROOT}/test/simulators/uptime-kuma.ts";
  import { everyType } from "${ROOT}/test/simulators/uptime-kuma/monitors.ts";
  import { startService } from "${ROOT}/test/support/service.ts";
  import { send } from "${ROOT}/test/support/http.ts";
  const kuma = new UptimeKumaSimulator({ codes: new Set(["123456-code-secret".slice(0, 16)]), gateway: { "X-Gate": "header-value-secret" } });
  await kuma.start();
  kuma.seed(everyType(1));
  const service = await startService({ SERVICE_LOG_LEVEL: "trace", SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
  const { owner } = await service.tenant();
  const answers = [];
  const call = async (verb, path, body) => {
    const answer = await owner[verb](path, body);
    answers.push(answer.text);
    return answer.body;
  };
  const later = () => service.sql.query("update uptime_leases set last_login_at = null");
  const { id, webhook_url } = await call("post", "/uptime/instances", { name: "Kuma", base_url: kuma.url });
  const at = "/uptime/instances/" + id;
  const login = { ...kuma.account, connect_headers: { "X-Gate": "header-value-secret" } };
  await call("post", at + "/enrol", { ...login, connect_headers: { "X-Gate": "wrong" } });
  await later();
  await call("post", at + "/enrol", { ...login, password: kuma.account.password + "x" });
  await later();
  const enrolled = await call("post", at + "/enrol", { ...login, totp: "123456-code-secret".slice(0, 16) });
  const synced = await call("post", at + "/sync");
  const { items } = await call("get", "/uptime/monitors?limit=200");
  for (const { id } of items.slice(0, 5)) await call("patch", "/uptime/monitors/" + id, { name: "Renamed " + id });
  kuma.fail("add", { kind: "refuse", msg: "cannot: password=monitor-basic-secret Bearer monitor-bearer-secret" });
  await call("post", "/uptime/monitors", { instance_id: id, name: "Refused", target: "https://x.example/" });
  const body = kuma.delivery(kuma.beat(1, "down", new Date(), "https://user:in-url-secret@x.example failed", false));
  const hooked = await send(service.port, "POST", "/" + new URL(webhook_url).pathname, { host: "x.example", body });
  kuma.cut();
  kuma.changePassword();
  await later();
  await call("post", at + "/sync");
  await call("get", at);
  const tables = ["uptime_instances", "uptime_monitors", "uptime_heartbeats", "uptime_leases", "activity", "outbox", "outside_acts", "idempotency_keys",
    "notification_events", "jobs.agenda_jobs", "provider_troubles"];
  let stored = "";
  for (const table of tables) stored += JSON.stringify((await service.sql.query("select * from " + table)).rows);
  await service.stop();
  await kuma.stop();
  const hook = webhook_url.split(".").at(-1);
  process.send({ answers: answers.join("\\n").replaceAll(webhook_url, ""), stored, hook, done: [enrolled.ok, synced.ok, synced.found, hooked.status] });
`;

describe("secrets of uptime servers", function () {
  this.timeout(240_000);
  let log = "";
  let reported: { answers: string; stored: string; hook: string; done: unknown[] };

  before(async () => {
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
    const child = spawn(process.execPath, flags, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.on("message", (message) => (reported = message as typeof reported));
    const status = await new Promise((resolve) => child.on("close", resolve));
    if (status !== 0) throw new Error(log.slice(-4000));
  });

  it("are in no log line, trace, job row, stored row or answer, at the level trace", () => {
    expect(reported.done).to.deep.equal([true, true, TYPES.length, 200]);
    expect(log, "there is a log").to.contain("POST /api/v1/uptime/monitors");
    expect(log, "there are traces of calls").to.contain("getMonitorList");
    const secrets = [...OURS.map((one) => one.slice(0, 16)), ...THEIRS, reported.hook].filter(
      (one) => one !== SECRETS.basic_auth_user,
    );
    for (const [place, text] of Object.entries({ log, answers: reported.answers, rows: reported.stored }))
      for (const secret of secrets) expect(text.includes(secret), `${secret} in ${place}`).to.equal(false);
  });
});
