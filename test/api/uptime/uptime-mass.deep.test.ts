import { expect } from "chai";
import { systemRequest } from "../../../core/request/system.ts";
import { recordBeats } from "../../../integrations/uptime/heartbeats/recording.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { settled } from "../../support/jobs.ts";
import { sendingWorld } from "../notifications/sending-world.ts";

/** Monitors that are behind the router that goes down. */
const MONITORS = 1_000;
/** Due rows that one look takes per way and organisation (platform §5.8). */
const BUNDLE = 200;

describe("1,000 monitors that go down together (workspace-reporting §5, platform §5.8)", function () {
  this.timeout(240_000);
  const world = sendingWorld();
  let instance: string;
  beforeEach(async () => {
    const made = await world.tenant.owner.post("/uptime/instances", { name: "Kuma", mode: "linked" });
    instance = made.body.id;
    await world.service.sql.query(
      `insert into uptime_monitors (id, organisation_id, instance_id, remote_id, name, monitor_type, sync_status, adopted)
       select gen_random_uuid(), $1, $2, n, 'Mass ' || n, 'http', 'active', true from generate_series(1, $3::int) n`,
      [world.tenant.organisation.id, instance, MONITORS],
    );
  });

  /** Records one state of some monitors, as one reading of the server brings it. @returns the statements it took */
  const record = async (status: "down" | "up", at: number, count = MONITORS, from = 1): Promise<number> => {
    let statements = 0;
    await inTenancy(
      () => systemRequest("a test", world.tenant.organisation, "write"),
      async (store) => {
        const beats = Array.from({ length: count }, (_, n) => ({
          remoteId: from + n,
          status,
          code: status === "down" ? 0 : 1,
          at: new Date(at).toISOString(),
          pingMs: null,
          message: null,
        }));
        await recordBeats(instance, beats, false);
        statements = store.statements;
      },
    );
    await settled(world.service);
    return statements;
  };
  const device = async () => {
    const browser = world.push.browser();
    const { status } = await world.tenant.owner.post("/notifications/push/subscriptions", browser.subscription);
    expect(status).to.equal(201);
    return browser;
  };
  const alarms = async (): Promise<number> =>
    (
      await world.service.sql.query(
        "select count(*)::int as n from notifications where organisation_id = $1 and event_type = 'uptime.monitor.down'",
        [world.tenant.organisation.id],
      )
    ).rows[0].n;

  it("reach one device in five messages, one per 200 alarms, and the inbox once each", async () => {
    const browser = await device();
    await record("down", Date.now() - 60_000);
    expect(await alarms()).to.equal(MONITORS);
    const rows = await world.deliver();
    expect(new Set(rows.map(({ way, status }) => `${way} ${status}`))).to.deep.equal(new Set(["push sent"]));
    expect([rows.length, browser.messages.length]).to.deep.equal([MONITORS, MONITORS / BUNDLE]);
  });

  it("raise nothing more while they stay down, however often they are read", async () => {
    const browser = await device();
    for (let n = 3; n > 0; n--) await record("down", Date.now() - n * 60_000);
    await world.deliver();
    expect([await alarms(), browser.messages.length]).to.deep.equal([MONITORS, MONITORS / BUNDLE]);
  });

  it("need as many statements as three that go down, with a notified device", async () => {
    await device();
    const few = await record("down", Date.now() - 60_000, 3);
    expect(await record("down", Date.now() - 30_000, MONITORS - 3, 4)).to.equal(few);
  });
});
