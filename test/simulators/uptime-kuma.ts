import http from "node:http";
import type { AddressInfo } from "node:net";
import { Server, type Socket } from "socket.io";
import { checkAnswer, checkCall, checkDelivery, checkPush } from "./uptime-kuma/checker.ts";
import { DERIVED, type KumaMonitor, storedMonitor } from "./uptime-kuma/monitors.ts";

/** How a call is mistreated instead of being answered properly. */
export type KumaFault =
  /** Refuses with this message; nothing is done. */
  | { kind: "refuse"; msg: string }
  /** Executes the call and never responds. */
  | { kind: "lose" }
  /** Executes the call and responds once this resolves. */
  | { kind: "wait"; until: Promise<unknown> }
  /** Receives the call and never responds; nothing is done. */
  | { kind: "hang" }
  /** Responds, but does not push the matching event. */
  | { kind: "silent" };

interface Options {
  version?: string;
  subpath?: string;
  /** One-time codes of the second factor, each valid once; null: no second factor. */
  codes?: Set<string> | null;
  /** Headers that a gateway in front of the server requires. */
  gateway?: Record<string, string>;
}

export interface Called {
  event: string;
  args: unknown[];
}

const LOGINS_A_MINUTE = 20;
const CODES = { down: 0, up: 1, pending: 2, maintenance: 3 } as const;
const timeOf = (at: Date) => at.toISOString().replace("T", " ").replace("Z", "");

/**
 * Uptime Kuma on real Socket.IO, with its own monitors. It checks every call, response and push against the description; a mismatch goes to
 * `complaints`, so that the test fails.
 */
export class UptimeKumaSimulator {
  readonly monitors = new Map<number, KumaMonitor>();
  readonly beats = new Map<number, Record<string, unknown>[]>();
  readonly received: Called[] = [];
  readonly complaints: string[] = [];
  /** Headers of upgrade requests. */
  readonly upgrades: http.IncomingHttpHeaders[] = [];
  readonly account = { username: "kantoor", password: "kuma-password-secret" };
  readonly tokens = new Set<string>();
  /** Fields of a test's monitors that the description lacks. */
  readonly seeded = new Set<string>();
  notifications: Record<string, unknown>[] = [
    { id: 1, name: "Hook", isDefault: true, active: true, config: '{"webhookURL":"https://x/hook-secret"}' },
    { id: 7, name: "Mail", isDefault: false, active: true, config: '{"smtpPassword":"smtp-secret"}' },
  ];
  version: string;
  codes: Set<string> | null;
  open = 0;
  mostOpen = 0;
  readonly #subpath: string;
  readonly #gateway: Record<string, string>;
  readonly #faults = new Map<string, KumaFault[]>();
  #http = http.createServer();
  #io: Server | undefined;
  #next = 1;
  #logins: number[] = [];

  constructor({ version = "2.5.3", subpath = "", codes = null, gateway = {} }: Options = {}) {
    this.version = version;
    this.#subpath = subpath;
    this.codes = codes;
    this.#gateway = gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}${this.#subpath}`;
  }

  start(port = 0): Promise<void> {
    this.#http = http.createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"));
    this.#io = new Server(this.#http, {
      path: `${this.#subpath}/socket.io`,
      maxHttpBufferSize: 1e8,
      allowRequest: (request, done) => {
        this.upgrades.push(request.headers);
        const passes = Object.entries(this.#gateway).every(([name, value]) => request.headers[name.toLowerCase()] === value);
        if (passes) done(null, true);
        else request.socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n", () => done("gateway", false));
      },
    });
    this.#io.on("connection", (socket) => this.#greet(socket));
    return new Promise((resolve) => this.#http.listen(port, "127.0.0.1", () => resolve()));
  }

  async stop(): Promise<void> {
    this.#io?.disconnectSockets(true);
    await this.#io?.close();
    this.#http.closeAllConnections();
  }

  /** Cuts every connection, like a restart. */
  cut(): void {
    this.#io?.disconnectSockets(true);
  }

  /** Applies these faults to the next calls of an event. */
  fail(event: string, ...faults: KumaFault[]): void {
    this.#faults.set(event, [...(this.#faults.get(event) ?? []), ...faults]);
  }

  reset(): void {
    for (const kept of [this.received, this.complaints, this.upgrades]) kept.length = 0;
    this.#faults.clear();
  }

  /** Number of calls of an event. */
  count(event: string): number {
    return this.received.filter((call) => call.event === event).length;
  }

  /** Adds a monitor as its administrator would, and returns its id. */
  add(values: Record<string, unknown> & { name: string; type: string }): number {
    const id = this.#next++;
    for (const field of Object.keys(values)) this.seeded.add(field);
    for (const field of Object.keys(storedMonitor(id, values))) this.seeded.add(field);
    this.monitors.set(id, storedMonitor(id, values));
    this.#push("monitorList", this.#list());
    return id;
  }

  /** Stores monitors unchanged. */
  seed(monitors: readonly KumaMonitor[]): void {
    for (const monitor of monitors) {
      for (const field of Object.keys(monitor)) this.seeded.add(field);
      this.monitors.set(monitor.id, monitor);
      this.#next = Math.max(this.#next, monitor.id + 1);
    }
  }

  get nextId(): number {
    return this.#next;
  }

  /** Changes the administrator's password: tokens become invalid. */
  changePassword(): void {
    this.tokens.clear();
  }

  /** Makes a monitor report and notifies signed-in clients. @returns the heartbeat */
  beat(id: number, status: keyof typeof CODES, at = new Date(), msg = "", isTold = true): Record<string, unknown> {
    const beat = {
      monitorID: id,
      status: CODES[status],
      time: timeOf(at),
      msg,
      ping: status === "up" ? 42 : null,
      important: true,
      duration: 60,
      retries: 0,
    };
    this.beats.set(id, [...(this.beats.get(id) ?? []), beat]);
    if (isTold) this.#push("heartbeat", beat);
    return beat;
  }

  /** The webhook's body for a heartbeat. */
  delivery(beat: Record<string, unknown>, more: Record<string, unknown> = {}): object {
    const monitor = this.monitors.get(Number(beat["monitorID"]));
    const body = {
      heartbeat: {
        ...beat,
        timezone: "Europe/Amsterdam",
        timezoneOffset: "+01:00",
        localDateTime: "2026-01-01 00:00:00",
        ...more,
      },
      monitor: monitor && { id: monitor.id, name: monitor.name, type: monitor.type },
      msg: `[${monitor?.name}] ${beat["msg"]}`,
    };
    this.complaints.push(...checkDelivery(body));
    return body;
  }

  /** The webhook's body for the test button and for an expiring certificate. */
  notice(): object {
    const body = { heartbeat: null, monitor: null, msg: "Certificate expires" };
    this.complaints.push(...checkDelivery(body));
    return body;
  }

  #push(event: string, ...args: unknown[]): void {
    this.complaints.push(...checkPush(event, args));
    this.#io?.to("signed in").emit(event, ...args);
  }

  #list(): Record<string, unknown> {
    return Object.fromEntries([...this.monitors].map(([id, monitor]) => [id, this.#shown(monitor)]));
  }

  /** A monitor as read: its manual status is never returned. */
  #shown({ manual_status: _, ...monitor }: KumaMonitor): Record<string, unknown> {
    const children = [...this.monitors.values()].filter(({ parent }) => parent === monitor.id).map(({ id }) => id);
    return {
      ...monitor,
      path: [monitor.name],
      pathName: monitor.name,
      childrenIDs: children,
      forceInactive: false,
      maintenance: false,
      includeSensitiveData: true,
    };
  }

  #greet(socket: Socket): void {
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    socket.on("disconnect", () => (this.open -= 1));
    const send = (event: string, ...args: unknown[]) => {
      this.complaints.push(...checkPush(event, args));
      socket.emit(event, ...args);
    };
    send("loginRequired");
    send("info", { primaryBaseURL: null, serverTimezone: "Europe/Amsterdam", serverTimezoneOffset: "+01:00" });
    let isSignedIn = false;
    const signIn = () => {
      isSignedIn = true;
      void socket.join("signed in");
      send("monitorList", this.#list());
      send("info", { version: this.version, latestVersion: this.version, primaryBaseURL: null });
      send("notificationList", this.notifications);
      for (const id of this.monitors.keys()) send("heartbeatList", id, this.beats.get(id) ?? [], true);
    };
    socket.onAny(async (event: string, ...given: unknown[]) => {
      const answer = typeof given.at(-1) === "function" ? (given.pop() as (answer: object) => void) : undefined;
      this.received.push({ event, args: given });
      const problems = checkCall(event, given, this.seeded);
      this.complaints.push(...problems);
      const fault = this.#faults.get(event)?.shift();
      if (fault?.kind === "hang") return;
      let result: Record<string, unknown>;
      if (fault?.kind === "refuse") result = { ok: false, msg: fault.msg };
      else if (problems.length > 0) result = { ok: false, msg: problems.join("; ") };
      else if (!isSignedIn && !event.startsWith("login")) result = { ok: false, msg: "You are not logged in." };
      else result = this.#do(event, given, signIn, fault?.kind === "silent" ? () => {} : send);
      this.complaints.push(...checkAnswer(event, result));
      if (fault?.kind === "wait") await fault.until;
      if (fault?.kind !== "lose") answer?.(result);
    });
  }

  #do(
    event: string,
    [first]: unknown[],
    signIn: () => void,
    send: (event: string, ...args: unknown[]) => void,
  ): Record<string, unknown> {
    switch (event) {
      case "login":
        return this.#login(first as Record<string, string>, signIn);
      case "loginByToken":
        if (!this.tokens.has(first as string)) return { ok: false, msg: "authInvalidToken", msgi18n: true };
        signIn();
        return { ok: true };
      case "getMonitorList":
        send("monitorList", this.#list());
        return { ok: true };
      case "getMonitor": {
        const monitor = this.monitors.get(first as number);
        return monitor ? { ok: true, monitor: this.#shown(monitor) } : { ok: false, msg: "Monitor not found" };
      }
      case "add":
        return this.#added(first as Record<string, unknown>);
      case "editMonitor":
        return this.#edited(first as KumaMonitor);
      case "pauseMonitor":
      case "resumeMonitor": {
        const monitor = this.monitors.get(first as number);
        if (!monitor) return { ok: false, msg: "Monitor not found" };
        monitor["active"] = event === "resumeMonitor";
        return { ok: true, msg: event === "resumeMonitor" ? "successResumed" : "successPaused", msgi18n: true };
      }
      default:
        this.monitors.delete(first as number);
        for (const monitor of this.monitors.values()) if (monitor["parent"] === first) monitor["parent"] = null;
        return { ok: true, msg: "successDeleted", msgi18n: true };
    }
  }

  #login({ username, password, token }: Record<string, string>, signIn: () => void): Record<string, unknown> {
    const now = Date.now();
    this.#logins = [...this.#logins.filter((at) => at > now - 60_000), now];
    if (this.#logins.length > LOGINS_A_MINUTE) return { ok: false, msg: "Too frequently, try again later." };
    if (username !== this.account.username || password !== this.account.password)
      return { ok: false, msg: "authIncorrectCreds", msgi18n: true };
    if (this.codes) {
      if (!token) return { tokenRequired: true };
      // A code is valid once.
      if (!this.codes.delete(token)) return { ok: false, msg: "authInvalidToken", msgi18n: true };
    }
    const made = `kuma-token-secret-${this.tokens.size + 1}`;
    this.tokens.add(made);
    signIn();
    return { ok: true, token: made };
  }

  #added(values: Record<string, unknown>): Record<string, unknown> {
    if ("conditions" in values && this.version.startsWith("1."))
      return { ok: false, msg: "insert into monitor: no such column: conditions" };
    const id = this.#next++;
    const { name, type } = values as { name: string; type: string };
    for (const field of Object.keys(storedMonitor(id, { name, type }))) this.seeded.add(field);
    this.monitors.set(id, storedMonitor(id, { ...values, name, type }));
    return { ok: true, msg: "successAdded", msgi18n: true, monitorID: id };
  }

  /** An edit writes every field of the object; omitted ones become null, including its notifications. */
  #edited(values: KumaMonitor): Record<string, unknown> {
    const stored = this.monitors.get(values.id);
    if (!stored) return { ok: false, msg: "Monitor not found" };
    const fields = new Set([...Object.keys(stored), ...Object.keys(values)].filter((field) => !DERIVED.includes(field)));
    this.monitors.set(
      values.id,
      Object.fromEntries([...fields].map((field) => [field, field in values ? values[field] : null])) as KumaMonitor,
    );
    return { ok: true, msg: "Saved.", msgi18n: true, monitorID: values.id };
  }
}
