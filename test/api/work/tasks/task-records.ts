import { expect } from "chai";
import pg from "pg";
import sinon from "sinon";
import { todayIn } from "../../../../core/calendar/calendar.ts";
import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { systemRequest } from "../../../../core/request/system.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { recordEvents } from "../../../support/answers.ts";
import type { Answer } from "../../../support/http.ts";
import { holdSchedules, until } from "../../../support/jobs.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { waitingFor } from "../../../support/waiting.ts";

/** A service whose clock can be set, with hours licensed for good and every event kept. */
export interface TaskService extends TestService {
  /** Sets the service's clock: a date is noon UTC of that day. */
  today(instant: string): void;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's body, whose shape the contract checks
export type Body = any;

async function onClock(date: string, start: () => Promise<TestService>): Promise<TaskService> {
  const at = (instant: string) => Date.parse(instant.includes("T") ? instant : `${instant}T12:00:00Z`);
  const clock = sinon.useFakeTimers({ now: at(date), toFake: ["Date"] });
  const service = await start().catch((error: unknown) => {
    clock.restore();
    throw error;
  });
  await holdSchedules(service, "%");
  await service.sql.query(
    `insert into product_licences (module, expires_at) values ('time', '2200-01-01'), ('projects', '2200-01-01'),
      ('interactions', '2200-01-01') on conflict (module) do update set expires_at = excluded.expires_at`,
  );
  await recordEvents(service);
  return {
    ...service,
    today: (instant) => clock.setSystemTime(at(instant)),
    async stop() {
      clock.restore();
      await service.stop();
    },
  };
}

/** The service that files with a clock share, at a date. */
export const sharedTaskService = (date: string): Promise<TaskService> => onClock(date, () => sharedService("clock"));

/** A service of the file's own, at a date. */
export const startTaskService = (date: string): Promise<TaskService> => onClock(date, () => startService());

/** The content of an answer, which must be a success. */
export function bodyOf(answer: Answer): Body {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** Makes a task as a caller and gives its body. */
export const makeTask = async (caller: Caller, body: object = {}): Promise<Body> =>
  bodyOf(await caller.post("/tasks", { title: "Write the letter", ...body }));

/** Makes a project and gives its id. */
export const makeProject = async (caller: Caller, body: object): Promise<string> =>
  bodyOf(await caller.post("/projects", { name: "Website", ...body })).id;

/** Makes a contact of a company and gives its id. */
export const makeContact = async (caller: Caller, companyIds: string[]): Promise<string> =>
  bodyOf(await caller.post("/contacts", { first_name: "Kees", last_name: "Visser", company_ids: companyIds })).id;

/** Ids of a page or an array in its order. */
export const idsOf = ({ body }: Answer): string[] => (body.items ?? body).map(({ id }: { id: string }) => id);

/** Titles of a page or an array in its order. */
export const titlesOf = (answer: Answer): string[] => {
  const rows = bodyOf(answer);
  return (rows.items ?? rows).map(({ title }: { title: string }) => title);
};

/** The trail of a task, oldest first, as actions with payloads. */
export async function linesOf({ sql }: TestService, taskId: string): Promise<[string, object][]> {
  const { rows } = await sql.query(
    "select action, payload from activity where entity_type = 'task' and entity_id = $1 order by created_at, id",
    [taskId],
  );
  return rows.map(({ action, payload }) => [action, payload]);
}

/** A roster as answers show it. */
export const rosterOf = (...people: (string | Caller)[]): object[] =>
  people.map((one, index) => ({ user_id: typeof one === "string" ? one : one.accountId, is_primary: index === 0 }));

/** Gives an organisation a status in which tasks are finished only with a contact moment. */
export const makeStatus = async ({ owner }: Tenant, body: object): Promise<Body> =>
  bodyOf(await owner.post("/tasks/statuses", { name: "Review", color: "red", key: "review", ...body }));

/** Expects a refusal: status, code, and the keys next to the fields. */
export const expectRefusal = ({ status, body }: Answer, ...expected: unknown[]): void => {
  const { code, fields } = body?.error ?? {};
  expect([status, code, ...(fields === undefined ? [] : [fields])]).to.deep.equal(expected);
};

/** Runs the work of a job for one organisation as the job engine does, at the clock that a test has set. */
export function runFor<T>(
  { organisation }: Tenant,
  work: (run: OrganisationRun) => Promise<T>,
  timezone = "Europe/Amsterdam",
): Promise<T> {
  const zoned = { ...organisation, timezone };
  const tenancy = <R>(mode: "read" | "write", inside: () => Promise<R>) =>
    inTenancy(() => systemRequest("the job", zoned, mode), inside);
  const run = {
    organisation: zoned,
    today: () => todayIn(timezone, Date.now(), timezone),
    read: <R>(inside: () => Promise<R>) => tenancy("read", inside),
    write: <R>(inside: () => Promise<R>) => tenancy("write", inside),
    signal: new AbortController().signal,
  };
  return work(run as OrganisationRun);
}

/**
 * Starts a piece of work while a transaction with these statements is open, commits that once the work waits for it, and returns the outcome.
 */
export async function behind<T>(
  { database }: TestService,
  statements: [string, unknown[]][],
  work: () => Promise<T>,
): Promise<T> {
  const first = new pg.Client({ connectionString: database.superuser });
  await first.connect();
  await first.query("begin");
  for (const [text, values] of statements) await first.query(text, values);
  const working = work();
  await until(async () => (await waitingFor(first)) === 1);
  await first.query("commit");
  const [result] = await Promise.all([working, first.end()]);
  return result;
}
