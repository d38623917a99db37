import type { Reply } from "../simulator.ts";
import { type EventDateTime, PersonCalendar, type SimulatedChannel, type SimulatedEvent } from "./calendar-state.ts";
import type { GoogleRequest, GoogleSimulator } from "./google.ts";
import type { GooglePersonRecord } from "./grants.ts";
import { apiError } from "./replies.ts";

const AUTH = "https://www.googleapis.com/auth/";
const ID = /^[0-9a-v]{5,1024}$/;
const DAY = 86_400_000;

interface Page {
  items: SimulatedEvent[];
  sequence: number;
  epoch: number;
}

/** Google Calendar, as far as this service calls it, by person. */
export class GoogleCalendar {
  readonly #people = new Map<string, PersonCalendar>();
  readonly #pages = new Map<string, Page>();
  /** Sync tokens of an earlier epoch are invalid. */
  #epoch = 0;
  /** Invalidates issued page tokens. */
  pagesAreGone = false;
  /** Whether PUT restores a deleted event; otherwise it is not found. */
  revivesDeleted = false;
  /** Lifetime of new channels, in milliseconds. */
  channelLifetime = 7 * DAY;

  constructor(google: GoogleSimulator) {
    const part = {
      scopes: [`${AUTH}calendar.events`, `${AUTH}calendar`],
      answer: (request: GoogleRequest) => this.#answer(request),
    };
    google.serve("calendar", part, () => this.#clear());
  }

  #clear(): void {
    this.#people.clear();
    this.#pages.clear();
    this.pagesAreGone = false;
    this.revivesDeleted = false;
    this.channelLifetime = 7 * DAY;
  }

  /** The primary calendar of a person. */
  of({ subject }: GooglePersonRecord): PersonCalendar {
    const known = this.#people.get(subject) ?? new PersonCalendar();
    this.#people.set(subject, known);
    return known;
  }

  /** Invalidates all sync tokens issued so far. */
  expireSyncTokens(): void {
    this.#epoch += 1;
  }

  /** The headers of a channel's message. @param state `sync`, `exists` or `not_exists` */
  static message(channel: SimulatedChannel, state = "exists"): Record<string, string> {
    return {
      "X-Goog-Channel-ID": channel.id,
      "X-Goog-Channel-Token": channel.token,
      "X-Goog-Channel-Expiration": new Date(channel.expiration).toUTCString(),
      "X-Goog-Resource-ID": channel.resourceId,
      "X-Goog-Resource-URI": "https://www.googleapis.com/calendar/v3/calendars/primary/events?alt=json",
      "X-Goog-Resource-State": state,
      "X-Goog-Message-Number": "1",
    };
  }

  #answer(request: GoogleRequest): Reply | null {
    const { method, parts, person } = request;
    const calendar = this.of(person);
    if (method === "POST" && parts.join("/") === "channels/stop") return this.#stop(calendar, request);
    const [calendars, primary, events, last, ...rest] = parts;
    if (calendars !== "calendars" || events !== "events" || rest.length > 0) return null;
    if (primary !== "primary") return apiError(404, "notFound");
    if (method === "GET" && last === undefined) return this.#list(calendar, request);
    if (method === "POST" && last === undefined) return this.#insert(calendar, request);
    if (method === "POST" && last === "watch") return this.#watch(calendar, request);
    if (last === undefined) return null;
    if (method === "GET") return this.#get(calendar, last);
    if (method === "PUT") return this.#replace(calendar, last, request);
    if (method === "DELETE") return this.#delete(calendar, last);
    return null;
  }

  #list(calendar: PersonCalendar, { query }: GoogleRequest): Reply {
    const pageToken = query.get("pageToken");
    const size = Number(query.get("maxResults") ?? 250);
    if (pageToken !== null) {
      const page = this.#pages.get(pageToken);
      if (!page || page.epoch !== this.#epoch || this.pagesAreGone) return apiError(410, "fullSyncRequired");
      this.#pages.delete(pageToken);
      return this.#page(page, size);
    }
    const token = query.get("syncToken");
    if (token !== null) {
      const [epoch, sequence] = token.split(".").map(Number) as [number, number];
      if (epoch !== this.#epoch)
        return apiError(410, "fullSyncRequired", { message: "Sync token is no longer valid, a full sync is required." });
      return this.#page({ items: calendar.listed(sequence), sequence: calendar.sequence, epoch: this.#epoch }, size);
    }
    const timeMin = Date.parse(query.get("timeMin") ?? "1970-01-01T00:00:00Z");
    const endOf = ({ dateTime, date }: EventDateTime = {}) => Date.parse(dateTime ?? date ?? "");
    const items = calendar.listed(null).filter(({ end }) => end === undefined || endOf(end) > timeMin);
    return this.#page({ items, sequence: calendar.sequence, epoch: this.#epoch }, size);
  }

  #page({ items, sequence, epoch }: Page, size: number): Reply {
    const common = { kind: "calendar#events", timeZone: "Europe/Amsterdam", items: items.slice(0, size) };
    if (items.length <= size) return { status: 200, body: { ...common, nextSyncToken: `${epoch}.${sequence}` } };
    const nextPageToken = `page${Math.random().toString(36).slice(2)}`;
    this.#pages.set(nextPageToken, { items: items.slice(size), sequence, epoch });
    return { status: 200, body: { ...common, nextPageToken } };
  }

  /** The reason why Google would reject an event. */
  #fault({ start, end, recurrence }: Partial<SimulatedEvent>): string | null {
    if (!start || !end) return "Missing end time.";
    const [from, to] = [start.date ?? start.dateTime ?? "", end.date ?? end.dateTime ?? ""];
    if ((start.date === undefined) !== (end.date === undefined))
      return "Start and end times must either both be date or both be dateTime.";
    if (Date.parse(from) >= Date.parse(to)) return "The specified time range is empty.";
    for (const rule of recurrence ?? []) {
      if (!/^RRULE:FREQ=WEEKLY(;INTERVAL=\d+)?(;UNTIL=\w+)?$/.test(rule)) return "Invalid recurrence rule.";
      if (start.dateTime && (!start.timeZone || !end.timeZone)) return "Missing time zone definition for start time.";
      const until = /UNTIL=(\w+)/.exec(rule)?.[1];
      if (until && !(start.date ? /^\d{8}$/ : /^\d{8}T\d{6}Z$/).test(until)) return "Invalid recurrence rule.";
    }
    return null;
  }

  #insert(calendar: PersonCalendar, { json }: GoogleRequest): Reply {
    const event = json as Partial<SimulatedEvent>;
    if (event.id !== undefined && !ID.test(event.id)) return apiError(400, "invalid", { message: "Invalid resource id value." });
    const fault = this.#fault(event);
    if (fault) return apiError(400, "invalid", { message: fault });
    const id = event.id ?? `sim${Math.random().toString(36).slice(2, 12).replaceAll(/[w-z]/g, "0")}`;
    if (calendar.events.has(id)) return apiError(409, "duplicate", { message: "The requested identifier already exists." });
    return { status: 200, body: calendar.put({ ...event, id }) };
  }

  #get(calendar: PersonCalendar, id: string): Reply {
    const found = calendar.events.get(id);
    return found ? { status: 200, body: found.event } : apiError(404, "notFound");
  }

  #replace(calendar: PersonCalendar, id: string, { json }: GoogleRequest): Reply {
    const event = json as Partial<SimulatedEvent>;
    const known = calendar.events.get(id);
    if (!known || (known.event.status === "cancelled" && !this.revivesDeleted)) return apiError(404, "notFound");
    const fault = this.#fault(event);
    if (fault) return apiError(400, "invalid", { message: fault });
    return { status: 200, body: calendar.put({ ...event, id }) };
  }

  #delete(calendar: PersonCalendar, id: string): Reply {
    const known = calendar.events.get(id);
    if (!known) return apiError(404, "notFound");
    if (known.event.status === "cancelled") return apiError(410, "deleted", { message: "Resource has been deleted" });
    calendar.remove(id);
    return { status: 204 };
  }

  #watch(calendar: PersonCalendar, { json }: GoogleRequest): Reply {
    const { id = "", type, address = "", token = "" } = json as Record<string, string>;
    if (!/^[\w+/=-]{1,64}$/.test(id)) return apiError(400, "invalid", { message: "Invalid channel id" });
    if (type !== "web_hook") return apiError(400, "invalid", { message: "Unknown channel type" });
    if (!address.startsWith("https://"))
      return apiError(400, "push.webhookUrlNotHttps", { message: "WebHook callback must be HTTPS" });
    if (token.length > 256) return apiError(400, "invalid", { message: "Channel token too long" });
    if (calendar.channels.some((one) => one.id === id)) return apiError(400, "channelIdNotUnique");
    const channel = { id, token, address, resourceId: calendar.resourceId, expiration: Date.now() + this.channelLifetime };
    calendar.channels.push(channel);
    const { resourceId, expiration } = channel;
    const resourceUri = "https://www.googleapis.com/calendar/v3/calendars/primary/events?alt=json";
    return { status: 200, body: { kind: "api#channel", id, resourceId, resourceUri, token, expiration: String(expiration) } };
  }

  #stop(calendar: PersonCalendar, { json }: GoogleRequest): Reply {
    const { id, resourceId } = json as Record<string, string>;
    const at = calendar.channels.findIndex((one) => one.id === id && one.resourceId === resourceId);
    if (at < 0) return apiError(404, "notFound", { message: `Channel '${id}' not found for project` });
    calendar.channels.splice(at, 1);
    return { status: 204 };
  }
}
