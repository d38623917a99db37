import sinon from "sinon";
import type { Answer } from "../../support/http.ts";
import { holdSchedules } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";

/** A working week as it is sent. */
export type Week = Record<string, { start: string; end: string; breaks?: { start: string; end: string }[] } | null>;

const day = (start: string, end: string, ...breaks: [string, string][]) => ({
  start,
  end,
  breaks: breaks.map(([from, to]) => ({ start: from, end: to })),
});
const NO_WORK = { mon: null, tue: null, wed: null, thu: null, fri: null, sat: null, sun: null };
/** The week of an organisation that never saved one. */
export const DEFAULT_WEEK = {
  ...NO_WORK,
  ...Object.fromEntries(["mon", "tue", "wed", "thu", "fri"].map((key) => [key, day("08:30", "17:00", ["12:30", "13:00"])])),
};
/** Four days of eight hours. */
export const FOUR_DAYS: Week = { ...DEFAULT_WEEK, fri: null };
/** Five days of 7.6 hours. */
export const FIVE_SHORT_DAYS: Week = {
  ...NO_WORK,
  ...Object.fromEntries(["mon", "tue", "wed", "thu", "fri"].map((key) => [key, day("08:30", "16:36", ["12:30", "13:00"])])),
};
/** Mon 7.75, Wed and Thu 4 hours: 15.75 a week, 5.25 on average. */
export const UNEVEN: Week = {
  ...NO_WORK,
  mon: day("09:00", "17:30", ["12:30", "13:15"]),
  wed: day("08:00", "12:00"),
  thu: day("08:00", "12:00"),
};

/** Sets the clock of the service to a moment of UTC, by default noon. The database keeps its own. */
export function clock(): { set(date: string, time?: string): void; restore(): void } {
  let fake: sinon.SinonFakeTimers | undefined;
  const restore = () => {
    fake?.restore();
    fake = undefined;
  };
  return {
    set(date, time = "12:00") {
      restore();
      fake = sinon.useFakeTimers({ now: new Date(`${date}T${time}:00Z`), toFake: ["Date"] });
    },
    restore,
  };
}

/** A licence that outlives every date a test sets the clock to, and no schedule that such a clock would fire. */
export async function licensed(service: TestService): Promise<void> {
  await holdSchedules(service, "leave.%");
  await service.sql.query(
    "insert into product_licences (module, expires_at) values ('leave', '2100-01-01') on conflict (module) do update set expires_at = excluded.expires_at",
  );
}

/** Takes the licence of the whole installation away. Gives the way back. */
export async function lapse({ sql }: TestService): Promise<() => Promise<void>> {
  const { rows } = await sql.query("delete from product_licences where module = 'leave' returning expires_at");
  await sql.query("insert into product_licences (module, expires_at) values ('leave', '2001-01-01')");
  return async () => {
    await sql.query("delete from product_licences where module = 'leave'");
    for (const { expires_at } of rows)
      await sql.query("insert into product_licences (module, expires_at) values ('leave', $1)", [expires_at]);
  };
}

/** The answer of a call that has to succeed. @throws Error with what came instead */
export async function ok(answer: Promise<Answer> | Answer): Promise<Answer["body"]> {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** One organisation's leave as the tests of pots and balances look at it, types by their key. */
export class Leave {
  readonly service: TestService;
  readonly tenant: Tenant;
  #types: Map<string, string> | null = null;

  constructor(service: TestService, tenant: Tenant) {
    this.service = service;
    this.tenant = tenant;
  }

  /** Ids of the types by key. */
  async types(): Promise<Map<string, string>> {
    if (this.#types === null) {
      const rows: { key: string; id: string }[] = await ok(this.tenant.owner.get("/leave/types?include_inactive=true"));
      this.#types = new Map(rows.map(({ key, id }) => [key, id]));
    }
    return this.#types;
  }

  async type(key: string): Promise<string> {
    const found = (await this.types()).get(key);
    if (found === undefined) throw new Error(`no type ${key}`);
    return found;
  }

  /** Adds a contract as the owner and gives its body. */
  contract(person: Caller, hours: number | null, start_date: string, rest: object = {}) {
    const body = { user_id: person.accountId, contract_hours_per_week: hours, start_date, ...rest };
    return ok(this.tenant.owner.post("/leave/contracts", body));
  }

  /** A new member with one contract. */
  async employee(hours: number, start_date = "2020-01-01", rest: object = {}): Promise<Caller> {
    const person = await this.tenant.member("member");
    await this.contract(person, hours, start_date, rest);
    return person;
  }

  generate = (year: number) => ok(this.tenant.owner.post("/leave/entitlements/generate", { year }));

  /** Hours of a person's stored pots of a year, by type. */
  async pots(person: Caller, year: number): Promise<Record<string, string>> {
    const rows: { leave_type_id: string; hours: string }[] = await ok(
      this.tenant.owner.get(`/leave/entitlements?year=${year}&user_id=${person.accountId}`),
    );
    const keys = new Map([...(await this.types())].map(([key, id]) => [id, key]));
    return Object.fromEntries(rows.map(({ leave_type_id, hours }) => [keys.get(leave_type_id) ?? leave_type_id, hours]));
  }

  /** Sets a pot by hand. */
  async pot(person: Caller, key: string, year: number, hours: number | string) {
    const body = { user_id: person.accountId, leave_type_id: await this.type(key), year, hours };
    return ok(this.tenant.owner.put("/leave/entitlements", body));
  }

  /** Stores leave directly; another suite covers how it gets stored. */
  async book(
    person: Caller,
    key: string,
    dates: string | [string, string],
    hours: number,
    { status = "pending", pattern = null }: { status?: string; pattern?: string | null } = {},
  ): Promise<string> {
    const [from, to] = typeof dates === "string" ? [dates, dates] : dates;
    const { rows } = await this.service.sql.query(
      `insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours, recurring_day_id, recurring_date)
        values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, case when $8::uuid is not null then $5::date end) returning id`,
      [this.tenant.organisation.id, person.accountId, await this.type(key), status, from, to, hours, pattern],
    );
    return rows[0].id;
  }

  /** A person's balance rows of a year by type. */
  async balance(person: Caller, year: number): Promise<Record<string, Record<string, string>>> {
    const rows: Record<string, string>[] = await ok(
      this.tenant.owner.get(`/leave/balance?year=${year}&user_id=${person.accountId}`),
    );
    const keys = new Map([...(await this.types())].map(([key, id]) => [id, key]));
    return Object.fromEntries(rows.map((row) => [keys.get(row["leave_type_id"] as string), row]));
  }

  /** A person's group of a year that holds a type. */
  async group(person: Caller, key: string, year: number) {
    const id = await this.type(key);
    const rows: { leave_type_ids: string[] }[] = await ok(
      this.tenant.owner.get(`/leave/balance/groups?year=${year}&user_id=${person.accountId}`),
    );
    // biome-ignore lint/suspicious/noExplicitAny: tests look into it
    return rows.find(({ leave_type_ids }) => leave_type_ids.includes(id)) as any;
  }
}
