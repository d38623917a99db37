import { expect } from "chai";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { carryPushesBy } from "../../../integrations/push/push.ts";
import { ChannelsSimulator } from "../../simulators/channels.ts";
import { PushService } from "../../simulators/push-service.ts";
import { holdSchedules, settled, until } from "../../support/jobs.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { type Body, bodyOf, prefer } from "./inbox-records.ts";

/** Rules that switch events on, at once. */
export const on = (...events: string[]) => events.map((event_type) => ({ event_type, enabled: true }));

/** Where messages go, with a service that sends them; each test has an organisation of its own with the member Anna. */
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
    // Nothing looks for what is due but the tests themselves: what one look leads to is one interval's work.
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

  /** What the providers would not have understood. */
  get complaints(): string[] {
    return [...this.provider.complaints, ...this.push.complaints];
  }

  /** A task that a person is given, of which that person hears. */
  async makeTask(title: string, who = this.anna, by = this.tenant): Promise<string> {
    const made = await by.owner.post("/tasks", { title, assignees: [{ user_id: who.accountId, is_primary: true }] });
    return bodyOf(made).id;
  }

  /** What is to be sent or was, oldest first. */
  async rows(of = this.tenant): Promise<Body[]> {
    const ofOrganisation = "select * from notification_deliveries where organisation_id = $1 order by created_at, id";
    return (await this.service.sql.query(ofOrganisation, [of.organisation.id])).rows;
  }

  /** Has what is due be looked for once. */
  async look(): Promise<void> {
    await this.service.sql.query("select schedule_due_deliveries()");
    nudgeOutbox();
  }

  /** Sends what is due now, and waits until nothing is under way: a look that came late would take what the test makes due next. */
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

  /** Lets everything that waits be due now. */
  async dueNow(): Promise<void> {
    const now = "update notification_deliveries set due_at = now() where organisation_id = $1 and status = 'pending'";
    await this.service.sql.query(now, [this.tenant.organisation.id]);
  }

  /** A shared room that hears of events. */
  async room(path = "/room", of = this.tenant, events = on("task.assigned")): Promise<string> {
    const url = this.provider.origin + path;
    const { id } = bodyOf(await of.owner.post("/notifications/channels", { kind: "webhook", name: "Room", url }));
    await prefer(of.owner, { channels: [{ channel_config_id: id, events }] }, "/defaults");
    return id;
  }
}

/** A world for the tests of a `describe`, which ends when they have run; a request that no provider understands fails its test. */
export function sendingWorld(): SendingWorld {
  const world = new SendingWorld();
  before(() => world.start());
  beforeEach(() => world.begin());
  afterEach(() => expect(world.complaints).to.deep.equal([]));
  after(() => world.stop());
  return world;
}
