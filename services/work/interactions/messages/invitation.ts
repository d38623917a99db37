/** One property of a component: its name, its parameters and its value. */
interface Property {
  name: string;
  parameters: string;
  value: string;
}

/** The properties of the first event of a calendar (RFC 5545 §3.1, §3.6.1), without those of the components in it. */
function firstEvent(calendar: string): Property[] {
  const lines = calendar.replace(/\r?\n[ \t]/g, "").split(/\r?\n/);
  const begin = lines.findIndex((line) => /^BEGIN:VEVENT$/i.test(line.trim()));
  if (begin < 0) return [];
  const inside: Property[] = [];
  for (let at = begin + 1, depth = 0; at < lines.length && depth >= 0; at++) {
    const [, name = "", parameters = "", value = ""] =
      /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^":;])*)*):(.*)$/.exec(lines[at] ?? "") ?? [];
    const upper = name.toUpperCase();
    if (upper === "BEGIN") depth += 1;
    else if (upper === "END") depth -= 1;
    else if (depth === 0 && upper !== "") inside.push({ name: upper, parameters, value });
  }
  return inside;
}

/** A text without the escapes of RFC 5545 §3.3.11. */
const plain = (text: string) =>
  text.replace(/\\([\\;,nN])/g, (_, character: string) => (character.toLowerCase() === "n" ? "\n" : character)).trim();
const parameter = ({ parameters }: Property, name: string) =>
  new RegExp(`;${name}=(?:"([^"]*)"|([^":;,]*))`, "i").exec(parameters)?.slice(1).find(Boolean);

/** `2026-03-02 10:00 Europe/Amsterdam`, `2026-03-02 10:00 UTC` or `2026-03-02`; empty for another form. */
function moment(property: Property | undefined): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?$/.exec(property?.value.trim() ?? "") ?? [];
  if (!property || year === undefined) return "";
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  return [date, `${hour}:${minute}`, utc ? "UTC" : parameter(property, "TZID")].filter(Boolean).join(" ");
}

/** Minutes of a duration (RFC 5545 §3.3.6), days as 24 hours; null for another form, and for one that goes back. */
function minutesOf(property: Property | undefined): number | null {
  const [, weeks = 0, days = 0, hours = 0, minutes = 0] =
    /^\+?P(?=.)(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:\d{1,7}S)?)?$/i
      .exec(property?.value.trim() ?? "")
      ?.map((part) => part ?? 0) ?? [];
  const total = ((Number(weeks) * 7 + Number(days)) * 24 + Number(hours)) * 60 + Number(minutes);
  return total > 0 ? total : null;
}

/** The end of an event that has a duration instead (RFC 5545 §3.6.1), in the form of its start; undefined without one. */
function endAfter(start: Property | undefined, duration: Property | undefined): Property | undefined {
  const minutes = minutesOf(duration);
  const [, year, month, day, hour, minute, rest = ""] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\dZ?))?$/.exec(start?.value.trim() ?? "") ?? [];
  if (!start || minutes === null || year === undefined) return undefined;
  const began = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour ?? 0), Number(minute ?? 0));
  const end = new Date(began + minutes * 60_000).toISOString().replaceAll(/[-:]/g, "");
  return { ...start, value: hour === undefined ? end.slice(0, 8) : `${end.slice(0, 13)}${rest}` };
}

/**
 * An invitation as text, a line each: its title, when it is, where, and who organises it.
 * @param calendar a `text/calendar` part (RFC 5545)
 * @returns empty if it has no event
 */
export function invitationText(calendar: string): string {
  const event = firstEvent(calendar);
  const named = (name: string) => event.find((property) => property.name === name);
  const organiser = named("ORGANIZER");
  const address = organiser?.value.replace(/^mailto:/i, "").trim();
  const name = organiser && parameter(organiser, "CN");
  const ends = named("DTEND") ?? endAfter(named("DTSTART"), named("DURATION"));
  const when = [moment(named("DTSTART")), moment(ends)].filter((one) => one !== "").join(" – ");
  return [
    plain(named("SUMMARY")?.value ?? ""),
    when,
    plain(named("LOCATION")?.value ?? ""),
    name && address ? `${name} <${address}>` : (address ?? ""),
  ]
    .filter((line) => line !== "")
    .join("\n");
}
