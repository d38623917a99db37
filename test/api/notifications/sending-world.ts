import { expect } from "chai";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { carryPushesBy } from "../../../core/providers/push/push.ts";
import { ChannelsSimulator } from "../../simulators/channels.ts";
import { PushService } from "../../simulators/push-service.ts";
import { holdSchedules, settled, until } from "../../support/jobs.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { type Body, bodyOf, prefer } from "./inbox-records.ts";

/** Rules that switch events on, with immediate delivery. */
export const on = (...events: string[]) => events.map((event_type) => ({ event_type, enabled: true }));

/** A service that sends messages, and the simulators that receive them. Each test has its own organisation with the member Anna. */
export class SendingWorld {
  readonly provider = new ChannelsSimulator();
  readonly push = new PushService();
  readonly mailbox = new Mailbox();
  declare service: TestService;
  declare tenant: Tenant;
  declare anna: Caller;
  #restore = () => {};

  async start(): Promise<void> {
    await Promise.all([this.provider.start(), this.push.start(), this.mailbox.start()]);
    this.service = await startService({ ...relayOf(this.mailbox), SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1" });
    this.#restore = carryPushesBy(this.push.carry);
    // Only the tests poll for due deliveries: one poll does the work of one interval.
    await holdSchedules(this.service, "notifications.due");
  }

  async stop(): Promise<void> {
    this.#restore();
    await this.service.stop();
    await Promise.all([this.provider.stop(), this.push.stop(), this.mailbox.stop()]);
  }

  async begin(): Promise<void> {
    for (const double of [this.provider, this.push, this.mailbox]) double.reset();
    this.tenant = await this.service.tenant();
    this.anna = await this.tenant.member("member", { name: "Anna" });
  }

  /** Requests that the real providers would have rejected. */
  get complaints(): string[] {
    return [...this.provider.complaints, ...this.push.complaints];
  }

  /** Creates a task with an assignee, which notifies that person. */
  async makeTask(title: string, who = this.anna, by = this.tenant): Promise<string> {
    const made = await by.owner.post("/tasks", { title, assignees: [{ user_id: who.accountId, is_primary: true }] });
    return bodyOf(made).id;
  }

  /** The deliveries of an organisation in any state, oldest first. */
  async rows(of = this.tenant): Promise<Body[]> {
    const ofOrganisation = "select * from notification_deliveries where organisation_id = $1 order by created_at, id";
    return (await this.service.sql.query(ofOrganisation, [of.organisation.id])).rows;
  }

  /** Polls for due deliveries once. */
  async look(): Promise<void> {
    await this.service.sql.query("select schedule_due_deliveries()");
    nudgeOutbox();
  }

  /** Sends the due deliveries and waits until every job is done: a late poll would send the test's next deliveries. */
  async deliver(of = this.tenant): Promise<Body[]> {
    const isOver = ({ status, due_at }: Body) =>
      status !== "sending" && (status !== "pending" || Date.parse(due_at) > Date.now());
    await until(async () => {
      await this.look();
      return (await this.rows(of)).every(isOver);
    });
    await settled(this.service);
    return this.rows(of);
  }

  /** Makes all pending deliveries due now. */
  async dueNow(): Promise<void> {
    const now = "update notification_deliveries set due_at = now() where organisation_id = $1 and status = 'pending'";
    await this.service.sql.query(now, [this.tenant.organisation.id]);
  }

  /** Adds a shared room and routes events to it. */
  async room(path = "/room", of = this.tenant, events = on("task.assigned")): Promise<string> {
    const url = this.provider.origin + path;
    const { id } = bodyOf(await of.owner.post("/notifications/channels", { kind: "webhook", name: "Room", url }));
    await prefer(of.owner, { channels: [{ channel_config_id: id, events }] }, "/defaults");
    return id;
  }
}

/** A world for the tests of a `describe`, stopped after them. A request that the real provider would reject fails its test. */
export function sendingWorld(): SendingWorld {
  const world = new SendingWorld();
  before(() => world.start());
  beforeEach(() => world.begin());
  afterEach(() => expect(world.complaints).to.deep.equal([]));
  after(() => world.stop());
  return world;
}
