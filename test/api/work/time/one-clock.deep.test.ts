import { expect } from "chai";
import { importSheet } from "../../../support/impex.ts";
import type { Caller } from "../../../support/service.ts";
import { startWorkService, type WorkService } from "../projects/work-clock.ts";
import { Hours, ok } from "./hours.ts";
import { anyPlace, type Expected, openWorld, placeOf, type Sent, seededRandom, type World, wallOf } from "./one-clock-world.ts";

const NOW = "2026-10-26T12:00:00Z";
/** Five zones: far behind UTC and far ahead, offsets of half and quarter hours, clocks that move by an hour, by half of one and never. */
const ZONES = ["Europe/Amsterdam", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Kiritimati", "America/New_York"];
/** Nights around which entries begin: ends of months, changes of the clocks, the current week and the turn of the year. */
const NIGHTS = ["01-01", "03-08", "03-29", "04-05", "05-01", "09-01", "10-01", "10-04", "10-25", "10-26", "11-01", "12-31"];
/** Entries of each zone, by the way in which they are made. */
const MADE = { form: 190, timer: 30, block: 40, import: 140 };
const MINUTE = 60_000;

/** Runs work on items, eight at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}

describe("one clock and one place for hours", () => {
  let service: WorkService;
  before(async () => {
    service = await startWorkService(NOW);
  });
  after(() => service.stop());

  /** Figures that were compared, and those that differ. */
  const compared = { cases: 0, entries: 0, differences: [] as string[] };
  function same(what: string, found: unknown, wanted: unknown): void {
    compared.cases += 1;
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      compared.differences.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }

  for (const [index, zone] of ZONES.entries())
    it(`finds the same entries on the same days in every view, budget and invoice: ${zone}`, async () => {
      const random = seededRandom(index + 1);
      const hours = new Hours(service, await service.tenant());
      const world = await openWorld(hours, zone);
      const people = [world.tenant.owner, await world.tenant.member("admin")];
      const entries = await make(world, people, zone, random);
      compared.entries += entries.length;
      const { items, total } = await ok(world.tenant.owner.get("/time/report?limit=1000"));
      same("entries", total, entries.length);
      const facts = ({ user_id, work_date, minutes, billable, company_id, project_id, task_id }: Expected) =>
        JSON.stringify([user_id, work_date, minutes, billable, company_id, project_id, task_id]);
      same("every entry", items.map(facts).toSorted(), entries.map(facts).toSorted());
      const approved = items.filter(() => random() < 0.7);
      await hours.approve(...approved.map(({ id }: { id: string }) => id));
      await compareViews(world, people, entries);
      await compareBudgets(world, entries, wallOf(zone)(Date.parse(NOW)).slice(0, 10));
      await compareMoney(world, approved);
      expect(compared.differences, `of ${compared.cases} figures over ${compared.entries} entries`).to.deep.equal([]);
    }).timeout(300_000);

  it("was shown for 2,000 entries", () => {
    expect(compared.entries).to.equal(2000);
  });

  /** Makes the entries of a zone, and gives what each must be. */
  async function make(world: World, people: readonly Caller[], zone: string, random: () => number): Promise<Expected[]> {
    const wall = wallOf(zone);
    const made: Expected[] = [];
    const some = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    /** An instant of whole minutes within 30 hours of a night. */
    const anyStart = () => Date.parse(`2026-${some(NIGHTS)}T00:00:00Z`) + Math.round((random() - 0.5) * 3600) * MINUTE;
    /** The first instant at which the clock shows the same as at this one. */
    const first = (at: number) => [60, 30].map((back) => at - back * MINUTE).find((one) => wall(one) === wall(at)) ?? at;
    const note = (person: Caller, start: number, minutes: number, sent: Sent, billable?: boolean) => {
      const { billable: usual, ...place } = placeOf(world, sent);
      made.push({
        user_id: person.accountId,
        work_date: wall(start).slice(0, 10),
        minutes,
        billable: billable ?? usual,
        ...place,
      });
    };
    const utc = (at: number) => new Date(at).toISOString();

    const forms = Array.from({ length: MADE.form }, () => {
      const [person, place, isLocal] = [some(people), anyPlace(world, random, true), random() < 0.5];
      const start = isLocal ? first(anyStart()) : anyStart();
      const minutes = Math.floor(random() * 480);
      const billable = random() < 0.3 ? random() < 0.5 : undefined;
      note(person, start, minutes, place, billable);
      const ends = random() < 0.5 ? { minutes } : { ended_at: utc(start + (minutes + 15) * MINUTE), break_minutes: 15 };
      return () =>
        ok(person.post("/time/entries", { started_at: isLocal ? wall(start) : utc(start), ...ends, ...place, billable }));
    });
    await each(forms, (send) => send());

    for (let n = 0; n < MADE.timer; n++) {
      const [person, place, start] = [some(people), anyPlace(world, random, true), anyStart()];
      const minutes = Math.floor(random() * 1441);
      const { id } = await ok(person.post("/time/timer/start", place));
      await ok(person.patch(`/time/entries/${id}`, { started_at: utc(start) }));
      await ok(person.patch(`/time/entries/${id}`, { ended_at: utc(start + minutes * MINUTE) }));
      note(person, start, minutes, place);
    }

    const blocks = Array.from({ length: MADE.block }, () => ({ task_id: some(world.tasks).id, start: first(anyStart()) }));
    await each(blocks, async ({ task_id, start }) => {
      const duration_minutes = 1 + Math.floor(random() * 600);
      const [day, start_time] = wall(start).split("T");
      const block = { task_id, day, start_time: start_time?.slice(0, 5), duration_minutes, user_id: people[0]?.accountId };
      const { id, starts_at } = await ok(world.tenant.owner.post("/tasks/schedules", block));
      same(`a planned block at ${day} ${start_time}`, Date.parse(starts_at), start);
      await ok(world.tenant.owner.post(`/tasks/schedules/${id}/log-time`, {}));
      note(world.tenant.owner, start, duration_minutes, { task_id });
    });

    const rows = Array.from({ length: MADE.import }, (_, n) => {
      const [person, place, start] = [some(people), anyPlace(world, random, false), first(anyStart())];
      const minutes = Math.floor(random() * 480);
      note(person, start, minutes, place);
      const [day = "", time = ""] = wall(start).split("T");
      const { company_id = "", project_id = "", task_id = "" } = place;
      return `${person.email},${day},${time},${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")},${company_id},${project_id},${task_id},Row ${n}`;
    });
    const sheet = ["employee,date,start_time,duration,company,project,task,description", ...rows].join("\r\n");
    expect((await importSheet(world.tenant.owner, "time_entry", sheet)).errors).to.deep.equal([]);
    return made;
  }

  const minutesOf = (entries: readonly { minutes: number }[]) => entries.reduce((total, { minutes }) => total + minutes, 0);
  const billed = (entries: readonly Expected[]) => minutesOf(entries.filter(({ billable }) => billable));
  const monthOf = ({ work_date }: Expected) => work_date.slice(0, 7);
  const lastOf = (month: string) =>
    new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);

  /** Day, week, summary, lists, sums, report and statistics. */
  async function compareViews(
    { tenant: { owner }, clients, projects, tasks }: World,
    people: readonly Caller[],
    all: readonly Expected[],
  ) {
    const days = [...new Set(all.map(({ work_date }) => work_date))];
    const places = [
      ["", () => true] as const,
      ...clients.map((id) => [`&company_id=${id}`, (one: Expected) => one.company_id === id] as const),
      ...projects.map(({ id }) => [`&project_id=${id}`, (one: Expected) => one.project_id === id] as const),
      ...tasks.map(({ id }) => [`&task_id=${id}`, (one: Expected) => one.task_id === id] as const),
    ];
    await each(days, async (day) => {
      const ofDay = all.filter(({ work_date }) => work_date === day);
      for (const { accountId } of people) {
        const own = ofDay.filter(({ user_id }) => user_id === accountId);
        const view = await ok(owner.get(`/time/day?date=${day}&user_id=${accountId}`));
        const figures = [view.total_minutes, view.billable_minutes, view.entries.length];
        same(`day ${day}`, figures, [minutesOf(own), billed(own), own.length]);
        same(`summary ${day}`, (await ok(owner.get(`/time/summary?date=${day}&user_id=${accountId}`))).minutes, minutesOf(own));
        const week = await ok(owner.get(`/time/timesheet?week_start=${day}&user_id=${accountId}`));
        same(`week of ${day}`, week.day_totals[week.days.indexOf(day)], minutesOf(own));
      }
      const list = await ok(owner.get(`/time/entries?all_users=true&date_from=${day}&date_to=${day}&limit=200`));
      same(`list of ${day}`, [list.total, minutesOf(list.items)], [ofDay.length, minutesOf(ofDay)]);
    });
    const months = [...new Set(all.map(monthOf))];
    await each(months, async (month) => {
      const window = `date_from=${month}-01&date_to=${lastOf(month)}`;
      const ofMonth = all.filter((one) => monthOf(one) === month);
      for (const [query, isOf] of places) {
        const some = ofMonth.filter(isOf);
        const logged = await ok(owner.get(`/time/logged?${window}${query}`));
        same(`logged in ${month}${query}`, [logged.minutes, logged.billable_minutes], [minutesOf(some), billed(some)]);
        if (query.startsWith("&task_id")) continue;
        const { totals } = await ok(owner.get(`/time/report?${window}${query}&limit=1`));
        same(
          `report of ${month}${query}`,
          [totals.count, totals.minutes, totals.billable_minutes],
          [some.length, minutesOf(some), billed(some)],
        );
      }
      const { rows } = await ok(owner.get(`/time/stats/productivity?${window}`));
      for (const { accountId } of people) {
        const own = ofMonth.filter(({ user_id }) => user_id === accountId);
        const row = rows.find(({ user_id }: Expected) => user_id === accountId);
        const active = new Set(own.map(({ work_date }) => work_date)).size;
        same(`productivity in ${month}`, [row?.minutes ?? 0, row?.active_days ?? 0], [minutesOf(own), active]);
      }
      const team = await ok(owner.get(`/time/stats/team-summary?${window}`));
      same(`team in ${month}`, [team.minutes, team.revenue], [minutesOf(ofMonth), billed(ofMonth)]);
    });
    // At 60.00 an hour a minute is worth a euro.
    const revenue = await ok(owner.get("/time/stats/revenue?year=2026"));
    const ofMonth = (year: number) =>
      Array.from({ length: 12 }, (_, at) =>
        billed(all.filter((one) => monthOf(one) === `${year}-${String(at + 1).padStart(2, "0")}`)),
      );
    same("revenue", [revenue.months_current, revenue.months_previous], [ofMonth(2026), ofMonth(2025)]);
  }

  /** Burn-downs of projects and clients, cost and the hours of tasks. */
  async function compareBudgets({ tenant: { owner }, clients, projects, tasks }: World, all: readonly Expected[], today: string) {
    const monday = new Date(Date.parse(today) - ((new Date(today).getUTCDay() + 6) % 7) * 1440 * MINUTE)
      .toISOString()
      .slice(0, 10);
    const since = { total: "0000", monthly: `${today.slice(0, 7)}-01`, weekly: monday, daily: today };
    const inHours = (minutes: number) => Math.round((minutes / 60) * 100) / 100;
    const spent = ({ id, period }: World["projects"][number]) =>
      minutesOf(all.filter(({ project_id, work_date }) => project_id === id && work_date >= since[period]));
    for (const project of projects) {
      const { hours } = await ok(owner.get(`/projects/${project.id}?hours=true`));
      same(`burn-down ${project.period}`, hours.spent_hours, inHours(spent(project)));
      const { cost } = await ok(owner.get(`/time/cost?project_id=${project.id}`));
      same("cost", cost, minutesOf(all.filter(({ project_id }) => project_id === project.id)));
    }
    const { items } = await ok(owner.get("/companies?hours=true"));
    for (const id of clients) {
      const own = projects.filter(({ company_id }) => company_id === id);
      const { hours } = items.find((one: { id: string }) => one.id === id);
      same("budgets of a client", hours.spent_hours, inHours(own.reduce((total, project) => total + spent(project), 0)));
    }
    for (const { id } of tasks) {
      const { logged_minutes } = await ok(owner.get(`/tasks/${id}`));
      same("minutes of a task", logged_minutes, minutesOf(all.filter(({ task_id }) => task_id === id)));
    }
  }

  /** Unbilled and uninvoiced hours, and the documents made of them. */
  async function compareMoney({ tenant: { owner }, clients, projects }: World, approved: readonly (Expected & { id: string })[]) {
    const waiting = approved.filter(({ billable, minutes }) => billable && minutes > 0);
    for (const [group, keyOf] of [
      ["day", ({ work_date }: Expected) => work_date],
      ["month", monthOf],
      ["company", ({ company_id }: Expected) => company_id ?? ""],
      ["project", ({ project_id }: Expected) => project_id ?? ""],
    ] as const) {
      const { groups } = await ok(owner.get(`/invoicing/uninvoiced?group=${group}`));
      const found = groups.map(({ key, minutes }: { key: string; minutes: number }) => `${key} ${minutes}`).toSorted();
      const wanted = [...Map.groupBy(waiting, keyOf)].map(([key, some]) => `${key} ${minutesOf(some)}`).toSorted();
      same(`uninvoiced by ${group}`, found, wanted);
    }
    for (const id of clients) {
      for (const last of ["2026-03-31", "2026-08-31", "2026-10-25", "2026-12-31"]) {
        const own = waiting.filter(({ company_id, work_date }) => company_id === id && work_date <= last);
        const found = await ok(owner.get(`/invoicing/unbilled?company_id=${id}&until=${last}`));
        same(`unbilled until ${last}`, [found.total_count, found.total_minutes], [own.length, minutesOf(own)]);
        const [project] = projects.filter(({ company_id }) => company_id === id);
        const narrow = await ok(owner.get(`/invoicing/unbilled?company_id=${id}&until=${last}&project_id=${project?.id}`));
        const ofProject = own.filter(({ project_id }) => project_id === project?.id);
        same(`unbilled of a project until ${last}`, narrow.total_minutes, minutesOf(ofProject));
      }
      const last = "2026-08-31";
      const own = waiting.filter(({ company_id, work_date }) => company_id === id && work_date <= last);
      const invoice = await ok(
        owner.post("/invoicing/invoices/from-time", { company_id: id, until: last, group_by: "day", hourly_rate: 60 }),
      );
      const claimed: string[] = invoice.lines.flatMap(({ time_entry_ids }: { time_entry_ids: string[] }) => time_entry_ids);
      same("claimed by the invoice", claimed.toSorted(), own.map((one) => one.id).toSorted());
      const dated = invoice.lines.flatMap(
        ({ description, time_entry_ids: ids }: { description: string; time_entry_ids: string[] }) =>
          ids.map((one) => `${one} ${description.slice(-10).split("-").toReversed().join("-")}`),
      );
      same("days of lines", dated.toSorted(), own.map((one) => `${one.id} ${one.work_date}`).toSorted());
    }
  }
});
