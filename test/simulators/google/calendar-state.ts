import { randomBytes } from "node:crypto";

/** An event's date or time, in Google's format. */
export interface EventDateTime {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}

/** An event as Google stores it. */
export interface SimulatedEvent {
  id: string;
  status: "confirmed" | "tentative" | "cancelled";
  summary?: string;
  description?: string;
  htmlLink?: string;
  transparency?: string;
  recurrence?: string[];
  recurringEventId?: string;
  originalStartTime?: EventDateTime;
  start?: EventDateTime;
  end?: EventDateTime;
  etag?: string;
  updated?: string;
  eventType?: string;
  attendees?: { email: string; self?: boolean; responseStatus: string }[];
}

export interface SimulatedChannel {
  id: string;
  resourceId: string;
  token: string;
  address: string;
  /** Milliseconds since 1970. */
  expiration: number;
}

/** Number of instances shown of an endless series. */
const ENDLESS = 120;
const WEEK = 7 * 86_400_000;

const basic = (at: EventDateTime): string =>
  at.date
    ? at.date.replaceAll("-", "")
    : `${new Date(at.dateTime as string).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
/** The same time some weeks later; this simulator ignores clock changes. */
const later = (at: EventDateTime, weeks: number): EventDateTime =>
  at.date
    ? { date: new Date(Date.parse(at.date) + weeks * WEEK).toISOString().slice(0, 10) }
    : { ...at, dateTime: new Date(Date.parse(at.dateTime as string) + weeks * WEEK).toISOString() };

/** One person's primary calendar. */
export class PersonCalendar {
  readonly events = new Map<string, { event: SimulatedEvent; changed: number }>();
  readonly channels: SimulatedChannel[] = [];
  readonly resourceId = randomBytes(12).toString("base64url");
  /** Increases with each change. */
  sequence = 0;

  /** Adds or changes an event. */
  put(event: Partial<SimulatedEvent> & { id: string }): SimulatedEvent {
    this.sequence += 1;
    const whole: SimulatedEvent = {
      status: "confirmed",
      htmlLink: `https://www.google.com/calendar/event?eid=${event.id}`,
      ...event,
      etag: `"${this.sequence}"`,
      updated: "2026-11-01T00:00:00.000Z",
    };
    this.events.set(whole.id, { event: whole, changed: this.sequence });
    return whole;
  }

  /** Deletes an event; its id stays in use. */
  remove(id: string): void {
    const { event } = this.events.get(id) ?? {};
    if (event) this.put({ ...event, status: "cancelled" });
  }

  /** Events that are not cancelled, each series once. */
  live(): SimulatedEvent[] {
    return [...this.events.values()].map(({ event }) => event).filter(({ status }) => status !== "cancelled");
  }

  /** Events as a list shows them: instances instead of series, with tombstones. @param since only later changes */
  listed(since: number | null): SimulatedEvent[] {
    return [...this.events.values()]
      .filter(({ changed }) => since === null || changed > since)
      .flatMap(({ event }) => instancesOf(event))
      .filter(({ status, start }) => since !== null || status !== "cancelled" || start !== undefined);
  }
}

/** The instances of a series, or the event itself. A deleted event has only id and status. */
function instancesOf(event: SimulatedEvent): SimulatedEvent[] {
  const { recurrence, start, end, ...rest } = event;
  const [rule] = recurrence ?? [];
  const isGone = event.status === "cancelled";
  // A single cancelled instance with its original start time keeps its times.
  if (!rule) return isGone && !event.originalStartTime ? [{ id: event.id, status: "cancelled" }] : [event];
  const interval = Number(/INTERVAL=(\d+)/.exec(rule)?.[1] ?? 1);
  const until = /UNTIL=(\w+)/.exec(rule)?.[1];
  const instances: SimulatedEvent[] = [];
  for (let n = 0; n < ENDLESS; n++) {
    const at = later(start as EventDateTime, n * interval);
    if (until !== undefined && basic(at) > until) break;
    const id = `${event.id}_${basic(at)}`;
    instances.push(
      isGone
        ? { id, status: "cancelled", recurringEventId: event.id, originalStartTime: at }
        : {
            ...rest,
            id,
            recurringEventId: event.id,
            originalStartTime: at,
            start: at,
            end: later(end as EventDateTime, n * interval),
          },
    );
  }
  return instances;
}
