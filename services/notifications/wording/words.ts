import { isDate } from "../../../core/calendar/dates.ts";
import { dayInWords } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import { shortened } from "../../../core/values/stored-text.ts";

/** The inputs of a sentence: the event's snapshot and its actor. */
export interface NotifiedEvent {
  event_type: string;
  /** Null for the system. */
  actor_name: string | null;
  payload: Readonly<Record<string, unknown>>;
}

/** Builds a sentence from the actor and the payload's values, as they are or as dates in words. */
type Sentence = (facts: { who: string; of(name: string): string; day(name: string): string }) => string;

/** How far away a day is, in words. @param days 0 or more */
const daysNl = (days: string): string => ({ 0: "vandaag", 1: "morgen" })[days] ?? `over ${days} dagen`;
const daysEn = (days: string): string => ({ 0: "today", 1: "tomorrow" })[days] ?? `in ${days} days`;

/** The length of an outage, in words. */
const minutesNl = (minutes: string): string => ({ 0: "minder dan een minuut", 1: "1 minuut" })[minutes] ?? `${minutes} minuten`;
const minutesEn = (minutes: string): string => ({ 0: "less than a minute", 1: "1 minute" })[minutes] ?? `${minutes} minutes`;

const nl: Record<string, Sentence> = {
  "task.assigned": ({ who, of }) => `${who} gaf je de taak ‘${of("title")}’`,
  "task.unassigned": ({ who, of }) => `${who} haalde je van de taak ‘${of("title")}’`,
  "task.status_changed": ({ who, of }) => `${who} zette de taak ‘${of("title")}’ van ${of("from")} op ${of("to")}`,
  "task.commented": ({ who, of }) => `${who} reageerde op ‘${of("title")}’: ${of("excerpt")}`,
  "task.replied": ({ who, of }) => `${who} antwoordde bij ‘${of("title")}’: ${of("excerpt")}`,
  "task.mentioned": ({ who, of }) => `${who} noemde je bij ‘${of("title")}’: ${of("excerpt")}`,
  "task.due_soon": ({ of, day }) => `De taak ‘${of("title")}’ moet ${daysNl(of("days_left"))} klaar zijn (${day("due_date")})`,
  "task.overdue": ({ of, day }) => `De taak ‘${of("title")}’ had op ${day("due_date")} klaar moeten zijn`,
  "task.scheduled": ({ who, of, day }) => `${who} plande ‘${of("title")}’ voor je op ${day("scheduled_date")}`,
  "project.assigned": ({ who, of }) => `${who} voegde je toe aan het project ‘${of("title")}’`,
  "project.status_changed": ({ who, of }) => `${who} zette het project ‘${of("title")}’ van ${of("from")} op ${of("to")}`,
  "project.budget_threshold": ({ of }) => `Van het budget van ‘${of("title")}’ is ${of("percent")}% besteed`,
  "company.created": ({ who, of }) => `${who} voegde de klant ${of("title")} toe`,
  "company.status_changed": ({ who, of }) => `${who} zette de klant ${of("title")} van ${of("from")} op ${of("to")}`,
  "company.assigned": ({ who, of }) => `${who} wees je de klant ${of("title")} toe`,
  "leave.requested": ({ who, day }) => `${who} vraagt verlof aan van ${day("start_date")} tot en met ${day("end_date")}`,
  "leave.approved": ({ who, day }) => `${who} keurde je verlof van ${day("start_date")} tot en met ${day("end_date")} goed`,
  "leave.rejected": ({ who, day }) => `${who} wees je verlof van ${day("start_date")} tot en met ${day("end_date")} af`,
  "time.entry_approved": ({ who, of }) =>
    `${who} keurde ${of("count")} ${of("count") === "1" ? "urenregel" : "urenregels"} van je goed`,
  "time.timesheet_reminder": ({ day }) => `Je schreef geen uren in de week van ${day("week_start")}`,
  "interactions.email_pending": ({ of }) =>
    Number(of("count")) > 1
      ? `${of("count")} nieuwe berichten wachten op je beoordeling`
      : `Een bericht wacht op je beoordeling: ${of("title")}`,
  "interactions.mentioned": ({ who, of }) => `${who} noemde je bij het contactmoment ‘${of("title")}’`,
  "task.unblocked": ({ of }) => `De taak ‘${of("title")}’ kan beginnen: waar die op wachtte, is klaar`,
  "task.left_unassigned": ({ of }) => `De taak ‘${of("title")}’ heeft geen uitvoerder: wie die zou krijgen, is niet meer actief`,
  "project.left_unassigned": ({ of }) => `Het project ‘${of("title")}’ heeft geen team: wie het zou krijgen, is niet meer actief`,
  "automation.notify": ({ of }) => of("message"),
  "workspace.connection_broken": ({ of }) => `De koppeling met ${of("email")} werkt niet meer: koppel je account opnieuw`,
  "workspace.mail_gap": ({ of, day }) => `Mail van ${of("email")} ontbreekt mogelijk vanaf ${day("gap_day")}`,
  "workspace.event_restored": ({ of }) =>
    `‘${of("title")}’ in je agenda is teruggezet: de afspraak volgt uit je verlof of planning`,
  "uptime.monitor.down": ({ of }) => `‘${of("title")}’ is niet bereikbaar`,
  "uptime.monitor.up": ({ of }) => `‘${of("title")}’ is weer bereikbaar, na ${minutesNl(of("minutes"))}`,
  "uptime.monitor.flapping": ({ of }) =>
    `‘${of("title")}’ valt telkens weg: je krijgt pas weer bericht als er een kwartier niets verandert`,
  "uptime.instance.unreachable": ({ of }) =>
    of("status") === "needs_reauth"
      ? `De uptimeserver ‘${of("title")}’ weigert de aanmelding: meld hem opnieuw aan`
      : `De uptimeserver ‘${of("title")}’ is niet te lezen: storingen blijven mogelijk ongemeld`,
  "report.failed": ({ of }) => `De rapportage ‘${of("title")}’ kon niet worden gemaakt`,
  "report.held": ({ of }) => `De rapportage ‘${of("title")}’ is niet verstuurd: een onderdeel mist cijfers`,
};

const en: typeof nl = {
  "task.assigned": ({ who, of }) => `${who} assigned you the task ‘${of("title")}’`,
  "task.unassigned": ({ who, of }) => `${who} took you off the task ‘${of("title")}’`,
  "task.status_changed": ({ who, of }) => `${who} moved the task ‘${of("title")}’ from ${of("from")} to ${of("to")}`,
  "task.commented": ({ who, of }) => `${who} commented on ‘${of("title")}’: ${of("excerpt")}`,
  "task.replied": ({ who, of }) => `${who} replied at ‘${of("title")}’: ${of("excerpt")}`,
  "task.mentioned": ({ who, of }) => `${who} mentioned you at ‘${of("title")}’: ${of("excerpt")}`,
  "task.due_soon": ({ of, day }) => `The task ‘${of("title")}’ is due ${daysEn(of("days_left"))} (${day("due_date")})`,
  "task.overdue": ({ of, day }) => `The task ‘${of("title")}’ was due on ${day("due_date")}`,
  "task.scheduled": ({ who, of, day }) => `${who} planned ‘${of("title")}’ for you on ${day("scheduled_date")}`,
  "project.assigned": ({ who, of }) => `${who} added you to the project ‘${of("title")}’`,
  "project.status_changed": ({ who, of }) => `${who} moved the project ‘${of("title")}’ from ${of("from")} to ${of("to")}`,
  "project.budget_threshold": ({ of }) => `${of("percent")}% of the budget of ‘${of("title")}’ is spent`,
  "company.created": ({ who, of }) => `${who} added the client ${of("title")}`,
  "company.status_changed": ({ who, of }) => `${who} moved the client ${of("title")} from ${of("from")} to ${of("to")}`,
  "company.assigned": ({ who, of }) => `${who} assigned you the client ${of("title")}`,
  "leave.requested": ({ who, day }) => `${who} asks for leave from ${day("start_date")} to ${day("end_date")}`,
  "leave.approved": ({ who, day }) => `${who} approved your leave from ${day("start_date")} to ${day("end_date")}`,
  "leave.rejected": ({ who, day }) => `${who} turned down your leave from ${day("start_date")} to ${day("end_date")}`,
  "time.entry_approved": ({ who, of }) =>
    `${who} approved ${of("count")} ${of("count") === "1" ? "time entry" : "time entries"} of yours`,
  "time.timesheet_reminder": ({ day }) => `You wrote no hours in the week of ${day("week_start")}`,
  "interactions.email_pending": ({ of }) =>
    Number(of("count")) > 1
      ? `${of("count")} new messages wait for your review`
      : `A message waits for your review: ${of("title")}`,
  "interactions.mentioned": ({ who, of }) => `${who} mentioned you at the interaction ‘${of("title")}’`,
  "task.unblocked": ({ of }) => `The task ‘${of("title")}’ can begin: what it waited for is finished`,
  "task.left_unassigned": ({ of }) => `The task ‘${of("title")}’ has no assignee: who would have got it is no longer active`,
  "project.left_unassigned": ({ of }) => `The project ‘${of("title")}’ has no team: who would have got it is no longer active`,
  "automation.notify": ({ of }) => of("message"),
  "workspace.connection_broken": ({ of }) => `The connection with ${of("email")} no longer works: connect your account again`,
  "workspace.mail_gap": ({ of, day }) => `Mail of ${of("email")} may be missing from ${day("gap_day")}`,
  "workspace.event_restored": ({ of }) =>
    `‘${of("title")}’ in your calendar was put back: it follows from your leave or planning`,
  "uptime.monitor.down": ({ of }) => `‘${of("title")}’ is down`,
  "uptime.monitor.up": ({ of }) => `‘${of("title")}’ is up again, after ${minutesEn(of("minutes"))}`,
  "uptime.monitor.flapping": ({ of }) =>
    `‘${of("title")}’ keeps going down and up: no more notifications until nothing changes for 15 minutes`,
  "uptime.instance.unreachable": ({ of }) =>
    of("status") === "needs_reauth"
      ? `The uptime server ‘${of("title")}’ refuses the sign-in: sign in again`
      : `The uptime server ‘${of("title")}’ cannot be read: outages may go unreported`,
  "report.failed": ({ of }) => `The report ‘${of("title")}’ could not be made`,
  "report.held": ({ of }) => `The report ‘${of("title")}’ was not sent: a section lacks figures`,
};

const SENTENCES: Record<Locale, Record<string, Sentence>> = { nl, en };
const SYSTEM: Record<Locale, string> = { nl: "Het systeem", en: "The system" };
const SEVERAL: Record<Locale, (count: number) => string> = {
  nl: (count) => `${count} meldingen`,
  en: (count) => `${count} notifications`,
};
const TEST: Record<Locale, (brand: string) => string> = {
  nl: (brand) => `Testbericht van ${brand}`,
  en: (brand) => `Test message from ${brand}`,
};

/** Most characters of a sentence; excerpts can be long. */
const MOST = 500;

/** Describes an event in one line of at most 500 characters, in a supported language. */
export function sentence({ event_type, actor_name, payload }: NotifiedEvent, locale: Locale): string {
  const of = (name: string) => String(payload[name] ?? "");
  const day = (name: string) => (isDate(of(name)) ? dayInWords(locale, of(name)) : of(name));
  const made = SENTENCES[locale][event_type]?.({ who: actor_name ?? SYSTEM[locale], of, day }) ?? event_type;
  const line = made.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > MOST ? `${shortened(line, MOST - 1)}…` : line;
}

/** The title of several notifications. */
export const severalTitle = (count: number, locale: Locale): string => SEVERAL[locale](count);
/** The text of a test message. */
export const testSentence = (brand: string, locale: Locale): string => TEST[locale](brand);
/** The events with a sentence. */
export const WORDED: readonly string[] = Object.keys(nl);
