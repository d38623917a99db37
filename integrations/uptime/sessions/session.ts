import { redact } from "../../../core/outbound/redact.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { KumaFailure } from "../kuma/failure.ts";
import { type Beat, readBeat } from "../kuma/heartbeat.ts";
import {
  addition,
  fieldsOfFound,
  isIdentified,
  type MonitorIdentity,
  missingFor,
  type OwnedField,
  overwritten,
  type RemoteMonitor,
  remoteMonitor,
  type WantedMonitor,
} from "../kuma/remote-monitor.ts";
import { type KumaAddress, KumaSocket } from "../kuma/socket.ts";

/** Oldest supported server version. */
const OLDEST = [1, 23] as const;
/** Milliseconds to wait after the login for the server's version, and for the heartbeats of all its monitors. */
const VERSION = 10_000;
const SETTLING = 15_000;
const LOOK = 50;

/** A monitor to create or change at the server. */
export interface PushOrder {
  /** Null if it does not exist there yet. */
  remoteId: number | null;
  wanted: WantedMonitor;
  /** The fields to write if it exists. */
  fields: readonly OwnedField[];
  /** Whether an earlier attempt may have created it; it is then looked up first. */
  isRepeated: boolean;
  /** The names, types and targets of earlier attempts. */
  former: readonly MonitorIdentity[];
  /** Ids at the server that belong to other rows. */
  taken: readonly number[];
}

interface Credentials {
  username: string;
  password: string;
  totp: string | undefined;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Ids of the notifications that the administrator enabled for new monitors. Drops their settings, which contain secrets. */
function defaultsIn(list: unknown): number[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: { id?: unknown; isDefault?: unknown }) =>
    Number.isInteger(one?.id) && (one.isDefault === true || one.isDefault === 1) ? [one.id as number] : [],
  );
}

/** The newest heartbeat of a monitor; their times sort as text. */
const newestOf = (rows: readonly unknown[]): unknown => {
  const timeOf = (row: unknown) => String((row as { time?: unknown } | null)?.time ?? "");
  return rows.reduce((newest, row) => (newest === undefined || timeOf(row) >= timeOf(newest) ? row : newest), undefined);
};

/** A signed-in connection to one server. Changes run one after another; nothing it reads is stored or logged here. */
export class KumaSession {
  readonly #socket: KumaSocket;
  /** The newest heartbeat by monitor, as pushed by the server. */
  readonly #beats = new Map<number, Beat>();
  /** Monitors whose heartbeats the server has not reported since the login; null until it has listed them. */
  #awaited: Set<number> | null = null;
  readonly #reported = new Set<number>();
  #notificationIds: readonly number[] = [];
  #version: string | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(socket: KumaSocket) {
    this.#socket = socket;
    socket.on("info", (info: { version?: unknown }) => {
      if (typeof info?.version === "string") this.#version = info.version;
    });
    socket.on("monitorList", (list: object) => {
      this.#awaited ??= new Set(
        Object.keys(list ?? {})
          .map(Number)
          .filter((id) => !this.#reported.has(id)),
      );
    });
    socket.on("notificationList", (list: unknown) => {
      this.#notificationIds = defaultsIn(list);
    });
    socket.on("heartbeatList", (id: unknown, rows: unknown) => this.#take(Number(id), Array.isArray(rows) ? rows : []));
    socket.on("heartbeat", (beat: { monitorID?: unknown }) => this.#take(Number(beat?.monitorID), [beat]));
  }

  /** Connects, without signing in. @throws KumaFailure */
  static async connect(address: KumaAddress): Promise<KumaSession> {
    return new KumaSession(await KumaSocket.open(address));
  }

  #take(id: number, rows: readonly unknown[]): void {
    if (!Number.isInteger(id)) return;
    this.#reported.add(id);
    this.#awaited?.delete(id);
    const beat = readBeat(id, newestOf(rows), Date.now());
    const known = this.#beats.get(id);
    if (beat && (!known || beat.at >= known.at)) this.#beats.set(id, beat);
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** The server's reported version; null before the login. */
  get version(): string | null {
    return this.#version;
  }

  close(): void {
    this.#socket.close();
    this.#beats.clear();
  }

  /** Signs in with the stored token. @throws KumaFailure `reauth_required` if the server refuses it */
  async signIn(token: string): Promise<void> {
    const answer = await this.#socket.ask("loginByToken", token);
    if (answer.ok !== true) throw new KumaFailure("reauth_required", "the server no longer accepts the stored token");
    await this.#introduced();
  }

  /**
   * Signs in with name and password.
   * @returns the token for later logins
   * @throws KumaFailure `credentials_rejected`, `totp_required`, `totp_rejected`
   */
  async enrol({ username, password, totp }: Credentials): Promise<string> {
    const answer = await this.#socket.ask("login", { username, password, token: totp ?? "" });
    if (answer["tokenRequired"] === true) throw new KumaFailure("totp_required", "the server requires a one-time code");
    if (answer.ok !== true || typeof answer["token"] !== "string") {
      const isCode = answer.msg === "authInvalidToken";
      throw new KumaFailure(
        isCode ? "totp_rejected" : "credentials_rejected",
        isCode ? "the server refused the one-time code" : "the server refused the name or password",
      );
    }
    await this.#introduced();
    return answer["token"];
  }

  /** @throws KumaFailure `version_unsupported`, `not_server` */
  async #introduced(): Promise<void> {
    for (const deadline = Date.now() + VERSION; this.#version === null && this.isOpen && Date.now() < deadline; )
      await pause(LOOK);
    if (this.#version === null) throw new KumaFailure("not_server", "the server did not report its version");
    const [major = 0, minor = 0] = this.#version.split(".").map((part) => Number.parseInt(part, 10));
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
      throw new KumaFailure("version_unsupported", `version ${shortened(this.#version, 20)} is older than ${OLDEST.join(".")}`);
  }

  get #major(): number {
    return Number.parseInt(this.#version ?? "0", 10);
  }

  /** Runs a change after the earlier ones. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /**
   * All monitors of the server, reduced to owned fields. The list arrives as an event, never in the answer; without the event this throws
   * instead of returning an empty list.
   * @throws KumaFailure
   */
  async list(): Promise<RemoteMonitor[]> {
    const coming = this.#socket.next<Record<string, unknown>>("monitorList");
    coming.catch(() => {});
    await this.#socket.call("getMonitorList");
    const list = await coming;
    if (typeof list !== "object" || list === null) throw new KumaFailure("failed", "the list of monitors makes no sense");
    const monitors = Object.values(list).map(remoteMonitor);
    if (monitors.includes(null)) throw new KumaFailure("failed", "the list contains something other than a monitor");
    return monitors as RemoteMonitor[];
  }

  /** The newest heartbeat of every monitor, once the server has reported all listed monitors or the timeout is over. */
  async beats(): Promise<Beat[]> {
    for (const deadline = Date.now() + SETTLING; this.#awaited?.size !== 0 && this.isOpen && Date.now() < deadline; )
      await pause(LOOK);
    // Do not wait again for monitors that the server has not reported by now.
    this.#awaited = new Set();
    if (!this.isOpen) throw new KumaFailure("unreachable", "the connection broke");
    return [...this.#beats.values()];
  }

  /** Creates or changes a monitor. @returns its id at the server @throws KumaFailure, `gone` if the monitor to change does not exist */
  push(order: PushOrder): Promise<number> {
    return this.#inTurn(() => (order.remoteId === null ? this.#add(order) : this.#edit(order.remoteId, order)));
  }

  async #add({ wanted, isRepeated, former, taken }: PushOrder): Promise<number> {
    if (isRepeated) {
      const others = new Set(taken);
      const listed = (await this.list()).filter(({ id }) => !others.has(id));
      for (const identity of [wanted, ...former]) {
        const made = listed.find((monitor) => isIdentified(monitor, identity));
        // The earlier attempt may have had other settings.
        if (made) return this.#edit(made.id, { wanted, fields: fieldsOfFound(wanted, identity) });
      }
    }
    const answer = await this.#socket.call("add", addition(wanted, this.#major, this.#notificationIds));
    const id = answer["monitorID"];
    if (!Number.isInteger(id)) throw new KumaFailure("failed", "the answer does not name the monitor that was made");
    return id as number;
  }

  async #edit(id: number, { wanted, fields }: Pick<PushOrder, "wanted" | "fields">): Promise<number> {
    const raw = await this.#read(id);
    const changed = { ...overwritten(raw, wanted, fields), ...(fields.includes("monitor_type") && missingFor(wanted, raw)) };
    // The server never returns a manual monitor's status, and an edit without it resets it; the newest heartbeat has the same value.
    const beat = this.#beats.get(id);
    if (raw["type"] === "manual" && raw["manual_status"] === undefined && beat) changed["manual_status"] = beat.code;
    await this.#socket.call("editMonitor", changed);
    return id;
  }

  /**
   * The whole monitor with its secrets; it is only sent back to the server. The server refuses an unknown monitor and a call that failed in
   * the same way, so the list decides which of the two it was.
   * @throws KumaFailure, `gone` if the server does not list the monitor
   */
  async #read(id: number): Promise<Record<string, unknown>> {
    const answer = await this.#socket.ask("getMonitor", id);
    const monitor = answer["monitor"] as Record<string, unknown> | null | undefined;
    if (answer.ok === true && typeof monitor === "object" && monitor !== null && Number(monitor["id"]) === id) return monitor;
    if ((await this.list()).some((listed) => listed.id === id))
      throw new KumaFailure("failed", `getMonitor: ${redact(String(answer.msg ?? "refused"))}`);
    throw new KumaFailure("gone", "the monitor does not exist");
  }

  /** Pauses or resumes a monitor. @throws KumaFailure */
  switch(id: number, isActive: boolean): Promise<void> {
    return this.#inTurn(async () => {
      await this.#socket.call(isActive ? "resumeMonitor" : "pauseMonitor", id);
    });
  }

  /** Removes a monitor, if it exists. @throws KumaFailure */
  remove(id: number): Promise<void> {
    return this.#inTurn(async () => {
      const missing = await this.#read(id).then(
        () => false,
        (error: unknown) => {
          if (error instanceof KumaFailure && error.kind === "gone") return true;
          throw error;
        },
      );
      if (missing) return;
      await this.#socket.call("deleteMonitor", id);
      this.#beats.delete(id);
    });
  }
}
