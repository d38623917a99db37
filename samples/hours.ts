/**
 * The sample files of hours: 300 entries of one agency, as Toggl, Clockify and Harvest export them by the columns those document. The people,
 * clients and projects are invented, and the same ones every time.
 */
const ROWS = 300;

/** Who works at the agency. */
export const TEAM = [
  { first: "Noor", last: "Smit", email: "noor@bureau.example", role: "Design" },
  { first: "Thijs", last: "de Boer", email: "thijs@bureau.example", role: "Development" },
  { first: "Zoë", last: "Königsberg", email: "zoe@bureau.example", role: "Strategy" },
] as const;

/** Its projects, each with its client and the task that is in it. */
export const PROJECTS = [
  { client: "Bakkerij De Linde", name: "Webwinkel", code: "WEB", task: "Afrekenen" },
  { client: "Bakkerij De Linde", name: "Huisstijl", code: "STIJL", task: "Logo" },
  { client: "Café & Zo", name: "Menukaart, seizoen", code: "", task: "Drukproef" },
  { client: "Kwekerij 't Anker", name: 'Campagne "Lente"', code: "LENTE", task: "Advertenties" },
] as const;

const NOTES = [
  "Overleg met de klant",
  'Schets "A" en "B", met commentaar',
  "Eerste regel\nTweede regel",
  "Fouten gezocht; 3 gevonden",
  "",
];
const KINDS = ["Design", "Development", "Meeting"];

const digits = (value: number, length = 2): string => String(value).padStart(length, "0");

/** An entry: who, on what, and when, with the clock as people see it. */
function entryAt(index: number) {
  const person = TEAM[index % TEAM.length] as (typeof TEAM)[number];
  // Every tenth is on nothing in particular.
  const project = index % 10 === 9 ? null : (PROJECTS[index % PROJECTS.length] as (typeof PROJECTS)[number]);
  const day = Math.floor(index / 6);
  const [month, date] = [1 + Math.floor(day / 28), 1 + (day % 28)];
  // The last of a day goes on beyond midnight now and then.
  const isLate = index % 30 === 5;
  const [hour, minute] = isLate ? [22, 30] : [8 + (index % 6), (index * 5) % 60];
  const minutes = index % 50 === 20 ? 0 : 15 + ((index * 7) % 120);
  return {
    person,
    project,
    day: { year: 2026, month, date },
    start: { hour, minute },
    end: { hour: Math.floor((hour * 60 + minute + minutes) / 60), minute: (minute + minutes) % 60 },
    minutes,
    note: NOTES[index % NOTES.length] as string,
    isBillable: index % 4 !== 3,
    kind: KINDS[index % KINDS.length] as string,
  };
}
type Entry = ReturnType<typeof entryAt>;

const cell = (value: string | number): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
const csv = (header: readonly string[], row: (entry: Entry, index: number) => readonly (string | number)[]): string =>
  [header, ...Array.from({ length: ROWS }, (_, index) => row(entryAt(index), index))]
    .map((cells) => `${cells.map(cell).join(",")}\r\n`)
    .join("");

const iso = ({ year, month, date }: Entry["day"], isNext = false): string =>
  `${year}-${digits(month)}-${digits(date + (isNext ? 1 : 0))}`;
const american = ({ year, month, date }: Entry["day"], isNext = false): string =>
  `${digits(month)}/${digits(date + (isNext ? 1 : 0))}/${year}`;
const clock = ({ hour, minute }: Entry["start"]): string => `${digits(hour % 24)}:${digits(minute)}:00`;
const halves = ({ hour, minute }: Entry["start"]): string =>
  `${digits(hour % 12 || 12)}:${digits(minute)}:00 ${hour % 24 < 12 ? "AM" : "PM"}`;
const lasting = (minutes: number): string => `${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}:00`;
const yes = (is: boolean): string => (is ? "Yes" : "No");
const nameOf = ({ first, last }: Entry["person"]): string => `${first} ${last}`;
const isNextDay = ({ end }: Entry): boolean => end.hour >= 24;

const toggl = (): string =>
  csv(
    [
      ...["User", "Email", "Client", "Project", "Task", "Description", "Billable", "Start date", "Start time", "End date"],
      ...["End time", "Duration", "Tags", "Amount (EUR)"],
    ],
    (entry, index) => [
      ...[nameOf(entry.person), entry.person.email, entry.project?.client ?? "", entry.project?.name ?? ""],
      ...[index % 3 === 0 ? (entry.project?.task ?? "") : "", entry.note, yes(entry.isBillable), iso(entry.day)],
      ...[clock(entry.start), iso(entry.day, isNextDay(entry)), clock(entry.end), lasting(entry.minutes), "intern", ""],
    ],
  );

const clockify = (): string =>
  csv(
    [
      ...["Project", "Client", "Description", "Task", "User", "Group", "Email", "Tags", "Billable", "Start Date", "Start Time"],
      ...["End Date", "End Time", "Duration (h)", "Duration (decimal)", "Billable Rate (EUR)", "Billable Amount (EUR)"],
    ],
    (entry) => [
      ...[entry.project?.name ?? "", entry.project?.client ?? "", entry.note, "", nameOf(entry.person), "Team A"],
      ...[entry.person.email, "", yes(entry.isBillable), american(entry.day), halves(entry.start)],
      ...[american(entry.day, isNextDay(entry)), halves(entry.end), lasting(entry.minutes)],
      ...[(entry.minutes / 60).toFixed(2), "95.00", ((entry.minutes / 60) * 95).toFixed(2)],
    ],
  );

const harvest = (): string =>
  csv(
    [
      ...["Date", "Client", "Project", "Project Code", "Task", "Notes", "Hours", "Billable?", "Invoiced?", "Approved?"],
      ...["First Name", "Last Name", "Roles", "Employee?", "Billable Rate", "Billable Amount", "Cost Rate", "Cost Amount"],
      ...["Currency", "External Reference URL"],
    ],
    (entry, index) => {
      const hours = (15 + ((index * 9) % 180)) / 60;
      return [
        ...[iso(entry.day), entry.project?.client ?? "", entry.project?.name ?? "", entry.project?.code ?? ""],
        ...[entry.kind, index % 30 < 2 ? "Overleg" : entry.note, hours.toFixed(2), yes(entry.isBillable), "No", "No"],
        ...[entry.person.first, entry.person.last, entry.person.role, "Yes", 95, (hours * 95).toFixed(2), "", ""],
        ...["Euro - EUR", ""],
      ];
    },
  );

/** The sample files of hours by name. */
export const HOURS_SAMPLES: Readonly<Record<string, () => string>> = {
  "toggl-detailed.csv": toggl,
  "clockify-detailed.csv": clockify,
  "harvest-detailed.csv": harvest,
};
