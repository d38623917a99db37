import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { PLACES as ALL } from "../api/reporting/dying-steps.ts";
import { codesOf } from "../api/reporting/report-world.ts";
import { recordEvents } from "../support/answers.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, until } from "../support/jobs.ts";
import { Mailbox, relayOf } from "../support/mail/mailbox.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";

/**
 * The names of reports: where the node that makes one is killed, once. `REPORTING_CRASH_PLACES` names others, separated by commas, or `all`;
 * before a release each has its turn. test/api/reporting/resuming.test.ts breaks runs off at each place without a kill.
 */
const { REPORTING_CRASH_PLACES: asked = "gather middle,pdf middle,ready end,mail middle" } = process.env;
const PLACES = asked === "all" ? ALL : asked.split(",");
for (const name of PLACES) if (!ALL.includes(name)) throw new Error(`'${name}' is not a place of a run: ${ALL.join(", ")}`);

describe("nodes that make reports (workspace-reporting §1.5)", function () {
  this.timeout(1_800_000);
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-kills-"));
  let node: Spawned | undefined;
  let database: TestDatabase;
  let sql: pg.Client;
  let tenant: Tenant;
  const mailbox = new Mailbox();

  const launch = async () => {
    const settings = { SERVICE_JOBS_POLL_MS: "250", SERVICE_PDF_TIMEOUT_MS: "120000", REPORTING_KILLS: folder };
    const flags = ["--import", path.join(import.meta.dirname, "reporting-kills.ts")];
    node = await launchService({ ...nodeSettings(database), ...relayOf(mailbox), ...settings }, [], { flags });
  };
  /** Launches the next node, which need not wait until the lock of the dead one has ended. */
  const relaunch = async () => {
    await sql.query("update jobs.agenda_jobs set locked_at = now() - interval '1 minute' where locked_at is not null");
    await launch();
  };
  const addressOf = (name: string) => `${name.replace(" ", ".")}@kills.test`;
  const isDead = () => {
    try {
      process.kill(node?.pid as number, 0);
      return false;
    } catch {
      return true;
    }
  };

  before(async () => {
    await mailbox.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    await recordEvents({ sql });
    tenant = await makeTenant(sql, () => node?.port as number, "kills");
    await launch();
    await sql.query("update organisations set enabled_modules = $2 where id = $1", [
      tenant.organisation.id,
      ["marketing", "reporting"],
    ]);
  });
  after(async () => {
    await node?.stop();
    await sql?.end();
    await database?.drop();
    await mailbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("and are killed in the middle and at the end of steps leave each report mailed, once", async () => {
    const left = async (): Promise<number> =>
      (await sql.query("select count(*)::int as n from reports where run_id is not null")).rows[0].n;
    const period = { period_start: "2026-01-01", period_end: "2026-01-31" };
    // One after another: a kill would end another report's mail with an unknown outcome, which is not repeated.
    for (const display_name of PLACES) {
      const { id } = await tenant.company();
      const mailed = { recipients: [{ email: addressOf(display_name) }], schedule: { delivery: "auto" } };
      const { status, text } = await tenant.owner.put(`/reporting/companies/${id}/profile`, { display_name, ...mailed });
      expect(status, text).to.equal(200);
      // The node may die before it has answered.
      await tenant.owner.post("/reporting/reports/generate-batch", period).catch(() => undefined);
      let wasKilled = false;
      await until(async () => {
        if (isDead()) {
          wasKilled = true;
          await relaunch();
        }
        return wasKilled && (await left()) === 0;
      }, 300_000);
    }
    expect(readdirSync(folder).map((name) => name.replace("-", " "))).to.have.members(PLACES);
    const { rows } = await sql.query(
      `select r.id, r.company_name as name, r.status, r.published_at is not null as published, r.run_step, r.warnings, f.n as files,
          a.actions, e.events, m.mails
         from reports r
         cross join lateral (select count(*)::int as n from files where entity_id = r.id) f
         cross join lateral (select array_agg(action order by action) as actions from activity where entity_id = r.id) a
         cross join lateral (select array_agg(event order by event) as events from recorded where entity_id = r.id) e
         cross join lateral (select array_agg(status order by status) as mails from report_mails where report_id = r.id) m
        order by r.company_name`,
    );
    expect(rows).to.have.length(PLACES.length);
    for (const { id, name, ...row } of rows)
      expect({ ...row, warnings: codesOf(row) }, name).to.deep.equal({
        status: "sent",
        published: true,
        run_step: null,
        warnings: ["ai_unavailable"],
        files: 1,
        actions: ["published", "queued", "ready", "sent"],
        events: ["report.published", "report.ready", "report.sent"],
        mails: ["sent"],
      });
    expect(mailbox.delivered.flatMap(({ to }) => to)).to.have.members(PLACES.map(addressOf));
  });
});
