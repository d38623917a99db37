import { setTimeout as delay } from "node:timers/promises";
import { ChannelsSimulator } from "../../simulators/channels.ts";
import type { Simulator } from "../../simulators/simulator.ts";
import { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import type { Answer } from "../../support/http.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { freePort } from "../../support/ports.ts";
import type { Caller } from "../../support/service.ts";
import { KilledService } from "../service.ts";

export const VICTIMS = ["service", "postgres", "receivers"] as const;
export type Victim = (typeof VICTIMS)[number];

/** The events that go to webhooks. */
export const REPORTED_EVENTS = ["task.created", "task.assigned", "task.status_changed"] as const;
/** The rule's message to the owner, and the new status of a task. */
const MESSAGE = "There is work";
export const MOVED_TO = "in_progress";

const HOOKS = ["/hook-one", "/hook-two"] as const;
const ROOM = "/room";

const bodyOf = ({ status, body, text }: Answer): Answer["body"] => {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
};

/**
 * An organisation in which a new task reaches its assignee's inbox and mailbox, a shared room, two webhooks, and a rule that moves it on and
 * tells the owner. The service, PostgreSQL and all that receive may be killed.
 */
export class Office extends KilledService {
  readonly mailbox = new Mailbox();
  readonly channels = new ChannelsSimulator();
  readonly webhooks = new WebhookReceiver();
  /** The assignees of the tasks, in turn. */
  people: Caller[] = [];
  readonly #ports = new Map<Simulator, number>();
  #mailPort = 0;

  async open(): Promise<void> {
    // They start again on the same ports, which no other process may get meanwhile.
    for (const simulator of [this.channels, this.webhooks]) {
      this.#ports.set(simulator, await freePort());
      await simulator.start(this.#ports.get(simulator));
    }
    this.#mailPort = await freePort();
    await this.mailbox.start("127.0.0.1", this.#mailPort);
    await this.begin(relayOf(this.mailbox), () => this.#furnish());
  }

  async #furnish(): Promise<void> {
    const { tenant, channels, webhooks } = this;
    const { owner } = tenant;
    const preferences = "/notifications/preferences";
    const assigned = { event_type: "task.assigned", enabled: true, digest: "immediate" };
    for (const name of ["Anna", "Bas"]) {
      const person = await tenant.member("member", { name });
      bodyOf(await person.put(preferences, { email_events: [assigned] }));
      this.people.push(person);
    }
    const room = { kind: "webhook", name: "Room", url: channels.origin + ROOM };
    const { id } = bodyOf(await owner.post("/notifications/channels", room));
    bodyOf(await owner.put(`${preferences}/defaults`, { channels: [{ channel_config_id: id, events: [assigned] }] }));
    for (const path of HOOKS) {
      const hook = { name: path, url: webhooks.url(path), events: REPORTED_EVENTS };
      webhooks.trust(path, bodyOf(await owner.post("/webhooks/endpoints", hook)).secret);
    }
    const rule = {
      name: "Begin",
      trigger_event: "task.created",
      actions: [
        { action_type: "task.set_status", config: { status: MOVED_TO } },
        { action_type: "notification.send", config: { message: MESSAGE, user_ids: [owner.accountId] } },
      ],
    };
    bodyOf(await owner.post("/automation/rules", rule));
  }

  /** What each webhook's receiver took, in the order in which it came, by its path. */
  get hooks(): { path: string; messages: { id: string; type: string; event: string; record: string }[] }[] {
    return HOOKS.map((path) => ({
      path,
      messages: this.webhooks.at(path).map(({ id, type, data }) => ({
        id,
        type,
        event: String(data["id"]),
        record: String(data.entity_id),
      })),
    }));
  }

  /** `kill -9` of the service or PostgreSQL; of all receivers an end of all connections, and some silence. */
  async kill(victim: Victim): Promise<void> {
    if (victim !== "receivers") return victim === "postgres" ? this.database.kill() : this.killService();
    const { mailbox, channels, webhooks } = this;
    await Promise.all([mailbox.kill(), channels.stop(), webhooks.stop()]);
    await delay(Math.random() * 1_000);
    await mailbox.start("127.0.0.1", this.#mailPort);
    for (const [simulator, port] of this.#ports) await simulator.start(port);
  }

  override async close(): Promise<void> {
    await super.close();
    await Promise.all([this.mailbox.kill(), this.channels.stop(), this.webhooks.stop()].map((ended) => ended.catch(() => {})));
  }
}
