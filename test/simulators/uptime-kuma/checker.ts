import { readFileSync } from "node:fs";
import path from "node:path";

interface Described {
  serverEventsOnConnect: string[];
  afterLogin: Record<string, unknown>;
  calls: Record<string, { args: string[]; answers: Record<string, unknown>[] }>;
  monitorFields: string[];
  webhook: { heartbeat: string[]; body: Record<string, string> };
}

const FILE = path.join(import.meta.dirname, "../descriptions/hand/uptime-kuma.events.json");
const described = JSON.parse(readFileSync(FILE, "utf8")) as Described;

/** Fields of some types only, and fields that only a write has. */
const OF_TYPES = new Set(["dns_resolve_server", "dns_resolve_type", "conditions", "manual_status"]);
/** A field of a newer server that no description has; every monitor has it. */
export const UNKNOWN_FIELD = "fieldOfTheFuture";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");

/** Faults in a call's arguments, by the description. */
function wrongWith(event: string, [first]: readonly unknown[], knows: (field: string) => boolean): string[] {
  const problems: string[] = [];
  const say = (isWrong: boolean, what: string) => isWrong && problems.push(`${event}: ${what}`);
  if (event === "login") {
    const login = isObject(first) ? first : {};
    say(Object.keys(login).sort().join() !== "password,token,username", "takes username, password and token");
    say(!Object.values(login).every((value) => typeof value === "string"), "takes texts");
  } else if (event === "loginByToken") say(typeof first !== "string" || first === "", "takes a token");
  else if (event === "add" || event === "editMonitor") {
    const monitor = isObject(first) ? first : {};
    say(!isTexts(monitor["accepted_statuscodes"]), "accepted_statuscodes must be a list of text");
    say(!isObject(monitor["notificationIDList"]), "notificationIDList must be there");
    say(event === "add" && "id" in monitor, "a new monitor has no id");
    say(event === "editMonitor" && !Number.isInteger(monitor["id"]), "the whole monitor names its id");
    for (const field of Object.keys(monitor)) say(!knows(field), `no field '${field}'`);
  } else if (event !== "getMonitorList") say(!Number.isInteger(first), "takes the number of a monitor");
  return problems;
}

/**
 * Faults in a call: unknown event, too few or too many arguments, or arguments the server would choke on.
 * @param seeded fields of the test's monitors that the description lacks
 */
export function checkCall(event: string, args: readonly unknown[], seeded: ReadonlySet<string>): string[] {
  const call = described.calls[event];
  if (!call) return [`no event '${event}'`];
  const least = call.args.filter((name) => !name.endsWith("?")).length;
  if (args.length < least || args.length > call.args.length) return [`${event}: ${args.length} arguments`];
  const fields = new Set([...described.monitorFields, ...OF_TYPES, ...seeded, UNKNOWN_FIELD]);
  return wrongWith(event, args, (field) => fields.has(field));
}

/** Faults in the simulator's response: it must have the keys and types of a described one. */
export function checkAnswer(event: string, answer: Record<string, unknown>): string[] {
  const kindOf = (value: unknown) => (isObject(value) ? "object" : typeof value);
  const fits = (described.calls[event]?.answers ?? []).some(
    (template) =>
      Object.keys(template).sort().join() === Object.keys(answer).sort().join() &&
      Object.entries(template).every(([key, value]) => kindOf(answer[key]) === kindOf(value)) &&
      (!("ok" in template) || template["ok"] === answer["ok"]),
  );
  // Every call can be refused with a message.
  const isRefusal = answer["ok"] === false && typeof answer["msg"] === "string" && Object.keys(answer).length <= 3;
  return fits || isRefusal ? [] : [`${event}: answers ${JSON.stringify(Object.keys(answer))}`];
}

/** Faults in an event that the simulator pushes. */
export function checkPush(event: string, args: readonly unknown[]): string[] {
  if (event === "heartbeat")
    return Object.keys(args[0] as object).flatMap((key) =>
      described.webhook.heartbeat.includes(key) ? [] : [`heartbeat: '${key}'`],
    );
  const known = event in described.afterLogin || described.serverEventsOnConnect.some((name) => name.split(" ")[0] === event);
  if (!known) return [`no such push '${event}'`];
  if (event === "heartbeatList" && args.length !== 3) return ["heartbeatList: monitorID, rows, overwrite"];
  return [];
}

/** Faults in the simulator's webhook body. */
export const checkDelivery = (body: object): string[] =>
  Object.keys(body).sort().join() === Object.keys(described.webhook.body).sort().join() ? [] : [`delivery: ${Object.keys(body)}`];

export const MONITOR_FIELDS: readonly string[] = described.monitorFields;
